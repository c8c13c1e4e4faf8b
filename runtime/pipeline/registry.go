package pipeline

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// maxKeyed bounds the breakers whose key comes from requests, for a key that a
// stranger can choose must not fill the memory.
const maxKeyed = 4096

// Settings are what all pipelines of a registry share. The zero value is fine.
type Settings struct {
	// Hooks watch the calls; nil watches nothing.
	Hooks *observe.Hooks
	// Random gives numbers from [0, 1) for jitter, from any goroutine; nil is
	// math/rand/v2.
	Random func() float64
	// MaxKeys bounds the keys of each of the client's rate limits; zero is
	// [ratelimit.DefaultMaxKeys].
	MaxKeys int
	// Share tells other instances of breakers that open, and hears of theirs; nil does not.
	Share breaker.Share
}

// Registry holds the breakers, bulkheads, budgets and buckets of one client, by
// their partition. The first policy that names a partition makes it; that two
// policies agree about it is checked when code is generated. A Registry is safe
// for concurrent use.
type Registry struct {
	settings Settings
	onChange func(observe.BreakerChange) // nil where nobody wants to know

	mu        sync.Mutex
	breakers  map[partition]placed
	keyed     map[partition]placed
	bulkheads map[partition]*bulkhead.Bulkhead
	limiters  map[partition]*ratelimit.Limiter
	budgets   map[string]*retry.Budget
	// settled are settings of breakers that Update has changed, by their kind: some
	// breakers are made long after that.
	settled map[partition]policy.Breaker
	told    told

	latencies sync.Map // the name of an operation to its *latency.Histogram
	learnt    sync.Map // the name of an operation to its *deadline.Adaptive
	tries     sync.Map // the name of an operation to its *seen
}

// placed is a breaker and its kind: what all breakers of one policy have in common,
// whatever server, host or key they are for.
type placed struct {
	*breaker.Breaker
	kind partition
}

// partition names one instance.
type partition struct {
	dependency string
	scope      string // server, host, operation, or the name of the instance
	key        string
}

// NewRegistry makes an empty registry.
func NewRegistry(s Settings) *Registry {
	if s.Hooks == nil {
		s.Hooks = &observe.Hooks{}
	}
	if s.Random == nil {
		s.Random = rand.Float64
	}
	r := &Registry{
		settings:  s,
		breakers:  map[partition]placed{},
		keyed:     map[partition]placed{},
		bulkheads: map[partition]*bulkhead.Bulkhead{},
		limiters:  map[partition]*ratelimit.Limiter{},
		budgets:   map[string]*retry.Budget{},
		settled:   map[partition]policy.Breaker{},
	}
	r.onChange = s.Hooks.BreakerChange
	if s.Share != nil {
		r.share()
	}
	return r
}

// BreakerInfo is one breaker of a registry.
type BreakerInfo struct {
	Name    string
	State   observe.BreakerState
	RetryAt time.Time
}

// Breakers lists the breakers by name, for health pages and demonstrations.
func (r *Registry) Breakers() []BreakerInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []BreakerInfo
	for _, m := range []map[partition]placed{r.breakers, r.keyed} {
		for at, b := range m {
			list = append(list, BreakerInfo{Name: at.String(), State: b.State(), RetryAt: b.RetryAt()})
		}
	}
	slices.SortFunc(list, func(a, b BreakerInfo) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// String is the name that events carry.
func (p partition) String() string {
	name := p.dependency
	if p.scope != "" {
		name += "/" + p.scope
	}
	if p.key != "" {
		name += "/" + strings.ReplaceAll(p.key, keySeparator, "/")
	}
	return name
}

func (r *Registry) breaker(at, kind partition, b *policy.Breaker) *breaker.Breaker {
	found, until := r.findBreaker(at, kind, b)
	if !until.IsZero() {
		found.OpenUntil(time.Now(), until)
	}
	return found
}

// findBreaker finds or makes a breaker. One that was made may have to open, which its
// hooks hear of and so cannot be done here.
func (r *Registry) findBreaker(at, kind partition, b *policy.Breaker) (found *breaker.Breaker, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.breakers
	if at.key != "" {
		m = r.keyed
	}
	if found, ok := m[at]; ok {
		return found.Breaker, time.Time{}
	}
	if len(r.keyed) >= maxKeyed && at.key != "" {
		r.forgetKeyed()
	}
	settings := *b
	if settled, ok := r.settled[kind]; ok {
		settings = settled
	}
	group := ""
	if at.byKey() {
		group = kind.String()
	}
	made := breaker.New(settings, breaker.Options{
		Name: at.String(), Group: group, OnChange: r.onChange, Random: r.settings.Random,
	})
	m[at] = placed{made, kind}
	return made, r.told.join(made, at.String(), group)
}

// forgetKeyed makes room for one, at the cost of a closed one if the few that
// are looked at have one: an open breaker still protects somebody. The lock is
// held.
func (r *Registry) forgetKeyed() {
	var victim partition
	seen := 0
	for at, b := range r.keyed {
		victim = at
		if seen++; seen == 16 || b.State() == observe.Closed {
			break
		}
	}
	r.told.leave(victim)
	delete(r.keyed, victim)
}

func (r *Registry) bulkhead(at partition, b *policy.Bulkhead) *bulkhead.Bulkhead {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bulkheads[at] == nil {
		r.bulkheads[at] = bulkhead.New(*b)
	}
	return r.bulkheads[at]
}

func (r *Registry) limiter(at partition, b *policy.Bucket) *ratelimit.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limiters[at] == nil {
		r.limiters[at] = ratelimit.New(*b, r.settings.MaxKeys)
	}
	return r.limiters[at]
}

func (r *Registry) budget(dependency string, b *policy.Budget) *retry.Budget {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.budgets[dependency] == nil {
		r.budgets[dependency] = retry.NewBudget(*b, time.Now())
	}
	return r.budgets[dependency]
}

// keySeparator stands between the values of a composed key; it is not a
// character of any sensible value.
const keySeparator = "\x1f"

// keyOf is the text of a key made of expressions; a value that the request does
// not have is empty.
func keyOf(list []policy.Expr, lookup policy.Lookup) string {
	if len(list) == 0 || lookup == nil {
		return ""
	}
	if len(list) == 1 {
		v, _ := lookup.Lookup(list[0])
		return v.Plain()
	}
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteString(keySeparator)
		}
		v, _ := lookup.Lookup(e)
		b.WriteString(v.Plain())
	}
	return b.String()
}
