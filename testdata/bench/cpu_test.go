package bench_test

import (
	"syscall"
	"testing"
)

// loop runs a benchmark and reports the processor time of an operation beside the
// wall time: on a machine that does other things it is what can be compared. It is
// that of the whole process, so what the collector does for an operation counts.
func loop(b *testing.B, f func()) {
	b.Helper()
	b.ReportAllocs()
	begin := processorTime(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(processorTime(b)-begin)/float64(b.N), "cpu-ns/op")
}

// processorTime is in nanoseconds.
func processorTime(tb testing.TB) int64 {
	tb.Helper()
	var usage syscall.Rusage
	must(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}
