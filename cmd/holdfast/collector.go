package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// quietMemory is how many bytes a command may take before it collects garbage. Most
// documents are done by then: a collector that starts at four megabytes would take as
// much time as all other work on them.
const quietMemory = 192 << 20

// delayCollector has the collector wait until the process takes quietMemory. From then on
// the heap may grow to that, or to twice of what is in use, as it always may. It leaves
// the collector alone where the environment says how it is to run.
func delayCollector() {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	debug.SetMemoryLimit(quietMemory)
	debug.SetGCPercent(-1)
	afterCollection()
}

// afterCollection sets the next goal of the collector whenever it has run, which the
// cleanup of an object that nobody refers to tells.
func afterCollection() {
	canary := new([64]byte) // larger than what shares a block with other objects
	runtime.AddCleanup(canary, func(struct{}) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(growth(live[0].Value.Uint64()))
		debug.SetMemoryLimit(math.MaxInt64)
		afterCollection()
	}, struct{}{})
}

// growth is by how many percent a heap may grow of which so many bytes are in use.
func growth(live uint64) int {
	const standard = 100
	if live >= quietMemory/2 {
		return standard
	}
	return int((quietMemory - live) * 100 / max(live, 1<<20))
}
