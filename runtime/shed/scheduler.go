package shed

import (
	"math"
	"runtime/metrics"
	"time"
)

// schedulerMetric is the time that goroutines were ready to run and did not.
const schedulerMetric = "/sched/latencies:seconds"

// SchedulerDelay is the delay of the queue that each server in Go has: goroutines that
// wait for a processor. Each call of the function is the median since the one before;
// the first is zero. The function must not be called by several goroutines at once.
func SchedulerDelay() func() time.Duration {
	sample := []metrics.Sample{{Name: schedulerMetric}}
	var before []uint64
	return func() time.Duration {
		metrics.Read(sample)
		if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
			return 0 // a runtime that does not measure it
		}
		h := sample[0].Value.Float64Histogram()
		d := time.Duration(0)
		if len(before) == len(h.Counts) {
			d = median(h, before)
		}
		before = append(before[:0], h.Counts...)
		return d
	}
}

// median is the lower bound of the bucket that has the median of what was counted since.
func median(h *metrics.Float64Histogram, before []uint64) time.Duration {
	var total uint64
	for i, n := range h.Counts {
		total += n - before[i]
	}
	var below uint64
	for i, n := range h.Counts {
		if below += n - before[i]; 2*below > total {
			if low := h.Buckets[i]; low > 0 && low < math.MaxInt64/float64(time.Second) {
				return time.Duration(low * float64(time.Second))
			}
			return 0
		}
	}
	return 0
}
