package snapshot_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
)

// The JSON form is kept in files and read by tools: this is it, in full.
func TestJSONForm(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	s := snapshot.Snapshot{
		Format: snapshot.Format, Name: "Pets", Side: snapshot.ClientSide, At: at,
		Breakers:  []snapshot.Breaker{{Name: "pets/key", Key: "0123456789ab", State: observe.Open, RetryAt: at, Shadow: true}, {Name: "pets", Calls: 5, Failures: 1}},
		Unlisted:  3,
		Bulkheads: []snapshot.Bulkhead{{Name: "pets", Slots: 3, Max: 4, Running: 2, Waiting: 1, Queue: 8}},
		Budgets:   []snapshot.Budget{{Name: "pets", Left: 10, Calls: 30, Retries: 2}},
		Limits:    []snapshot.Limit{{Name: "pets/getPet", Limit: 50, Per: time.Second, Burst: 20, Keys: 7}},
		Latencies: []snapshot.Latency{{Op: "getPet", Expired: 1, Histogram: latency.Snapshot{
			Samples: 1.5, Recorded: 9, P50: 1500 * time.Microsecond, Buckets: []latency.Bucket{{UpTo: 1536 * time.Microsecond, Count: 1.5}},
		}}},
		Timeouts: []snapshot.Timeout{{Op: "getPet", Attempt: 2 * time.Second, Samples: 100, Observed: time.Second}},
		Cache:    &snapshot.Cache{Entries: 2, Bytes: 300}, Shed: &snapshot.Shed{Running: 1, Limit: 9, Optional: 0.5}, Truncated: true,
	}
	want := `{"format":1,"name":"Pets","side":"client","at":"2026-01-02T03:04:05.006Z",` +
		`"breakers":[{"name":"pets/key","key":"0123456789ab","state":"open","retryAt":"2026-01-02T03:04:05.006Z","calls":0,"failures":0,"shadow":true},` +
		`{"name":"pets","state":"closed","calls":5,"failures":1}],"unlistedBreakers":3,` +
		`"bulkheads":[{"name":"pets","slots":3,"max":4,"running":2,"waiting":1,"queue":8}],` +
		`"budgets":[{"name":"pets","left":10,"calls":30,"retries":2}],` +
		`"limits":[{"name":"pets/getPet","limit":50,"per":"1s","burst":20,"keys":7}],` +
		`"latencies":[{"op":"getPet","expired":1,"histogram":{"samples":1.5,"recorded":9,"p50":"1.5ms","buckets":[{"upTo":"1.536ms","count":1.5}]}}],` +
		`"timeouts":[{"op":"getPet","attempt":"2s","samples":100,"observed":"1s"}],` +
		`"cache":{"entries":2,"bytes":300},` +
		`"shed":{"running":1,"waiting":0,"limit":9,"refusingOptional":0.5,"refusingStandard":0,"refusingCritical":0},"truncated":true}`
	if got := s.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if data, err := json.Marshal(s); err != nil || string(data) != want {
		t.Errorf("got  %s, %v\nwant %s", data, err, want)
	}
}

func ExampleSnapshot_String() {
	s := snapshot.Snapshot{Format: snapshot.Format, Name: "Pets", Side: snapshot.ServerSide, At: time.Unix(0, 0)}
	fmt.Println(s)
	// Output: {"format":1,"name":"Pets","side":"server","at":"1970-01-01T00:00:00Z"}
}
