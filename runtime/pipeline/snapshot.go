package pipeline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Snapshot is what the registry holds at the moment now: all but the name of the API and
// its cache. The policies in force say what the attempt of an adaptive timeout comes to;
// those of operations that were not called yet are left out.
func (r *Registry) Snapshot(now time.Time, policies []*policy.Spec) snapshot.Snapshot {
	s := snapshot.Snapshot{Format: snapshot.Format, Side: snapshot.ClientSide, At: now}
	r.snapshotShared(now, &s)
	r.tries.Range(func(op, v any) bool {
		seen := v.(*seen)
		s.Latencies = append(s.Latencies, snapshot.Latency{
			Op: op.(string), Expired: seen.expired.Load(), Histogram: seen.answered.Snapshot(now),
		})
		return true
	})
	for _, spec := range policies {
		t := spec.Client.Timeout
		a, ok := r.learnt.Load(spec.ID)
		if !ok || t == nil || !t.Adaptive {
			continue
		}
		s.Timeouts = append(s.Timeouts, timeoutOf(now, spec, a.(*deadline.Adaptive)))
	}
	slices.SortFunc(s.Latencies, func(a, b snapshot.Latency) int { return strings.Compare(a.Op, b.Op) })
	slices.SortFunc(s.Timeouts, func(a, b snapshot.Timeout) int { return strings.Compare(a.Op, b.Op) })
	return s
}

// timeoutOf is an adaptive timeout as the operation's next call will have it.
func timeoutOf(now time.Time, spec *policy.Spec, a *deadline.Adaptive) snapshot.Timeout {
	reserve := time.Duration(0)
	if d := spec.Client.Deadline; d != nil && d.Propagate && d.Mode == policy.Enforce {
		reserve = d.Reserve
	}
	stats := a.Stats(now)
	return snapshot.Timeout{
		Op: spec.ID, Attempt: a.Attempt(now, spec.Client.Timeout, reserve), Samples: stats.Samples, Observed: stats.Observed,
	}
}

// snapshotShared adds what operations share.
func (r *Registry) snapshotShared(now time.Time, s *snapshot.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at, b := range r.breakers {
		s.Breakers = append(s.Breakers, breakerState(at, b))
	}
	keyed := make([]snapshot.Breaker, 0, len(r.keyed))
	for at, b := range r.keyed {
		keyed = append(keyed, breakerState(at, b))
	}
	// The open ones first, for they are what is looked for.
	slices.SortFunc(keyed, func(a, b snapshot.Breaker) int {
		if a, b := a.State == observe.Closed, b.State == observe.Closed; a != b {
			if a {
				return 1
			}
			return -1
		}
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
	})
	if n := len(keyed) - snapshot.MaxKeyed; n > 0 {
		s.Unlisted, keyed = n, keyed[:snapshot.MaxKeyed]
	}
	slices.SortFunc(s.Breakers, func(a, b snapshot.Breaker) int { return strings.Compare(a.Name, b.Name) })
	s.Breakers = append(s.Breakers, keyed...)
	for at, b := range r.bulkheads {
		s.Bulkheads = append(s.Bulkheads, snapshot.BulkheadOf(at.String(), b))
	}
	for name, b := range r.budgets {
		left := b.Stats(now)
		s.Budgets = append(s.Budgets, snapshot.Budget{Name: name, Left: left.Left, Calls: left.Firsts, Retries: left.Paid})
	}
	for at, l := range r.limiters {
		s.Limits = append(s.Limits, snapshot.LimitOf(at.String(), l))
	}
	slices.SortFunc(s.Bulkheads, func(a, b snapshot.Bulkhead) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Budgets, func(a, b snapshot.Budget) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Limits, func(a, b snapshot.Limit) int { return strings.Compare(a.Name, b.Name) })
}

func breakerState(at partition, b placed) snapshot.Breaker {
	stats := b.Stats()
	return snapshot.Breaker{
		Name: at.group(), Key: at.keyHash(), State: stats.State, RetryAt: stats.RetryAt, Calls: stats.Calls, Failures: stats.Failures,
		Shadow: b.Policy().Mode == policy.Shadow,
	}
}

// byKey reports whether the partition is one value of a key that requests bring.
func (p partition) byKey() bool { return p.scope == "key" && p.key != "" }

// group is the partition's name without the value of a key, which is the request's.
func (p partition) group() string {
	if p.byKey() {
		p.key = ""
	}
	return p.String()
}

// keyHash tells the partitions of a group apart without telling their keys.
func (p partition) keyHash() string {
	if !p.byKey() {
		return ""
	}
	sum := sha256.Sum256([]byte(p.key))
	return hex.EncodeToString(sum[:6])
}
