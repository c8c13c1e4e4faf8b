package retry_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

func TestLimitOf(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	sync := policy.Sync{Remaining: "X-Left", Reset: "X-Reset", Bucket: "X-Resource"}
	with := func(as policy.HintUnit) policy.Sync { s := sync; s.As = as; return s }
	tests := map[string]struct {
		sync   policy.Sync
		status int
		header []string
		want   retry.Limit
		ok     bool
	}{
		"seconds":           {with(policy.HintSeconds), 200, []string{"X-Left", "7", "X-Reset", "1.5"}, retry.Limit{Remaining: 7, Reset: 1500 * time.Millisecond, Timed: true}, true},
		"milliseconds":      {with(policy.HintMillis), 200, []string{"X-Left", "7", "X-Reset", "250"}, retry.Limit{Remaining: 7, Reset: 250 * time.Millisecond, Timed: true}, true},
		"a duration":        {with(policy.HintDuration), 200, []string{"X-Left", "0", "X-Reset", "6m0s"}, retry.Limit{Reset: 6 * time.Minute, Timed: true}, true},
		"an epoch":          {with(policy.HintEpoch), 200, []string{"X-Left", "0", "X-Reset", strconv.FormatInt(now.Unix()+90, 10), "X-Resource", "core"}, retry.Limit{Bucket: "core", Reset: 90 * time.Second, Timed: true}, true},
		"an epoch in ms":    {with(policy.HintEpoch), 200, []string{"X-Left", "0", "X-Reset", strconv.FormatInt(now.UnixMilli()+500, 10)}, retry.Limit{Reset: 500 * time.Millisecond, Timed: true}, true},
		"an epoch gone by":  {with(policy.HintEpoch), 200, []string{"X-Left", "0", "X-Reset", strconv.FormatInt(now.Unix()-1, 10)}, retry.Limit{Timed: true}, true},
		"a date":            {with(policy.HintDate), 200, []string{"X-Left", "1", "X-Reset", now.Add(time.Minute).UTC().Format(http.TimeFormat)}, retry.Limit{Remaining: 1, Reset: time.Minute, Timed: true}, true},
		"no reset":          {sync, 200, []string{"X-Left", "3"}, retry.Limit{Remaining: 3}, true},
		"reset is nonsense": {sync, 200, []string{"X-Left", "3", "X-Reset", "soon"}, retry.Limit{Remaining: 3}, true},
		"a fraction":        {sync, 200, []string{"X-Left", "3.9"}, retry.Limit{Remaining: 3}, true},
		"below zero":        {sync, 200, []string{"X-Left", "-2"}, retry.Limit{}, true},
		"nothing":           {sync, 200, nil, retry.Limit{}, false},
		"nonsense":          {sync, 200, []string{"X-Left", "many"}, retry.Limit{}, false},
		"only a reset":      {policy.Sync{Reset: "X-Reset"}, 200, []string{"X-Reset", "5"}, retry.Limit{}, false},
		"refused":           {policy.Sync{Reset: "X-Reset"}, 429, []string{"X-Reset", "5"}, retry.Limit{Reset: 5 * time.Second, Timed: true}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			for i := 0; i < len(tt.header); i += 2 {
				h.Set(tt.header[i], tt.header[i+1])
			}
			if got, ok := retry.LimitOf(&tt.sync, tt.status, h, now); got != tt.want || ok != tt.ok {
				t.Errorf("%+v, %v; want %+v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
	if _, ok := retry.LimitOf(&sync, 200, nil, now); ok {
		t.Error("no header tells anything")
	}
}
