package vars_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
	"github.com/holdfast-go/holdfast/runtime/observe/vars"
)

func TestCounts(t *testing.T) {
	v := vars.New()
	h, ctx, failed := v.Hooks(), t.Context(), errors.New("failed")
	h.AttemptEnd(ctx, observe.AttemptEnd{Number: 1, Status: 503})
	h.AttemptEnd(ctx, observe.AttemptEnd{Number: 2, Err: failed})
	h.AttemptEnd(ctx, observe.AttemptEnd{Number: 3, Status: 200})
	h.Wait(ctx, observe.Wait{Reason: observe.Backoff})
	h.Reject(ctx, observe.Reject{Reason: observe.Breaker, Name: "pets"})
	h.Reject(ctx, observe.Reject{Reason: observe.Shed, Shadow: true})
	h.Queued(ctx, observe.Queued{Admitted: true})
	h.Queued(ctx, observe.Queued{})
	h.Hedge(ctx, observe.Hedge{What: "won"})
	h.Cache(ctx, observe.Cache{Hit: true})
	h.Cache(ctx, observe.Cache{Shadow: true})
	h.Cache(ctx, observe.Cache{Forward: "stale"})
	h.Cache(ctx, observe.Cache{Err: failed})
	h.Fallback(ctx, observe.Fallback{What: "answered"})
	h.BreakerChange(observe.BreakerChange{To: observe.Open})
	h.BreakerChange(observe.BreakerChange{To: observe.HalfOpen, Shadow: true})
	h.Replay(ctx, observe.Replay{})
	h.StoreFail(ctx, observe.StoreFail{What: "lock"})
	h.CallEnd(ctx, observe.CallEnd{Status: 200})
	h.CallEnd(ctx, observe.CallEnd{Err: failed})
	h.CallEnd(ctx, observe.CallEnd{Status: 500})
	h.CallEnd(ctx, observe.CallEnd{Err: context.Canceled})
	h.PolicyReload(observe.PolicyReload{})
	h.PolicyReload(observe.PolicyReload{Err: failed})
	var read struct {
		Counts map[string]int64 `json:"counts"`
		States map[string]any   `json:"states"`
	}
	if err := json.Unmarshal([]byte(v.Map().String()), &read); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"attempts": 3, "attempts.again": 2, "attempts.failed": 2, "waits.backoff": 1, "rejects.breaker": 1, "shadow.rejects.shed": 1,
		"queued.admitted": 1, "queued.given-up": 1, "hedges.won": 1, "cache.hits": 1, "shadow.cache.hits": 1, "cache.misses": 1, "cache.failed": 1,
		"fallbacks.answered": 1, "breakers.open": 1, "shadow.breakers.half-open": 1, "replays": 1, "stores.lock": 1,
		"calls": 4, "calls.failed": 2, "calls.canceled": 1, "policies.reloaded": 1, "policies.refused": 1,
	}
	if fmt.Sprint(read.Counts) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", read.Counts, want)
	}
	if v.Count("calls") != 4 || v.Count("nothing") != 0 {
		t.Errorf("%d, %d", v.Count("calls"), v.Count("nothing"))
	}
}

// source always tells the same.
type source struct{}

// Snapshot is what it tells.
func (source) Snapshot() snapshot.Snapshot {
	return snapshot.Snapshot{Name: "pets", Latencies: []snapshot.Latency{{
		Op: "getPet", Histogram: latency.Snapshot{Buckets: []latency.Bucket{{Count: 1}}},
	}}}
}

// published counts names: a process gives each of them once, also where a test runs often.
var published atomic.Int32

func TestStates(t *testing.T) {
	name := "holdfast-test-" + strconv.Itoa(int(published.Add(1)))
	v := vars.Publish(name)
	v.Show("client", source{})
	var read struct {
		States map[string]struct {
			Name      string `json:"name"`
			Latencies []struct {
				Histogram struct {
					Buckets []any `json:"buckets"`
				} `json:"histogram"`
			} `json:"latencies"`
		} `json:"states"`
	}
	if err := json.Unmarshal([]byte(expvar.Get(name).String()), &read); err != nil {
		t.Fatal(err)
	}
	if s := read.States["client"]; s.Name != "pets" || len(s.Latencies) != 1 || len(s.Latencies[0].Histogram.Buckets) != 0 {
		t.Errorf("%+v", read)
	}
}

func ExampleNew() {
	v := vars.New() // vars.Publish("payments") shows them at /debug/vars
	hooks := v.Hooks()
	// c, err := payments.New(client.Observe(hooks)); v.Show("client", c.Core())
	hooks.Wait(context.Background(), observe.Wait{Op: "getPet", Reason: observe.Backoff})
	fmt.Println(v.Count("waits.backoff"))
	// Output: 1
}
