package latency

import (
	"math"
	"testing"
	"time"
)

// A bucket that is full halves all, and the shares stay.
func TestFullBucket(t *testing.T) {
	var h Histogram
	now := time.Unix(1_800_000_000, 0)
	h.Record(now, time.Millisecond)
	h.Record(now, time.Second)
	full := bucketOf(time.Millisecond)
	rest := bucketOf(time.Second)
	h.weight += uint64(math.MaxUint32-h.counts[full]) + uint64(math.MaxUint32-1-h.counts[rest])
	h.counts[full], h.counts[rest] = math.MaxUint32, math.MaxUint32-1
	h.Record(now, time.Millisecond)
	if h.counts[full] != math.MaxUint32/2+one || h.counts[rest] != (math.MaxUint32-1)/2 {
		t.Errorf("counts %d and %d", h.counts[full], h.counts[rest])
	}
	if h.weight != uint64(h.counts[full])+uint64(h.counts[rest]) {
		t.Errorf("weight %d", h.weight)
	}
}
