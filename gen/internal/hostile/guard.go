package hostile

import (
	"runtime"
	"time"
)

// Bounds on one run over an input. Time is that of the processor, since a machine
// may be busy with other things; a run that does not end at all is ended by the
// timeout of the test.
const (
	MaxTime = 10 * time.Second
	// baseBytes and bytesPerByte bound what a run may allocate in all: so much for
	// itself, and so much for each byte of its input. Published documents take about
	// 400 times their size up to the intermediate representation.
	baseBytes    = 256 << 20
	bytesPerByte = 4000
)

// A T is what Guard needs of a test.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Guard runs f over an input of so many bytes, and reports to t when it takes more
// than MaxTime or allocates out of proportion. Nothing else may run beside it.
func Guard(t T, size int, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := used()
	f()
	took := used() - start
	runtime.ReadMemStats(&after)
	if limit, got := uint64(baseBytes+bytesPerByte*size), after.TotalAlloc-before.TotalAlloc; got > limit {
		t.Errorf("an input of %d bytes made it allocate %d MB, more than %d MB", size, got>>20, limit>>20)
	}
	if took > MaxTime {
		t.Errorf("an input of %d bytes took %s", size, took)
	}
}
