package pipeline_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// room is what instances share: whoever is in it hears what the others tell.
type room struct {
	members []*member
	told    []breaker.Notice
}

type member struct {
	room *room
	hear func(breaker.Notice)
}

func (r *room) enter() *member {
	m := &member{room: r}
	r.members = append(r.members, m)
	return m
}

func (m *member) Listen(hear func(breaker.Notice)) { m.hear = hear }

func (m *member) Tell(n breaker.Notice) {
	m.room.told = append(m.room.told, n)
	for _, other := range m.room.members {
		if other != m {
			other.hear(n)
		}
	}
}

// shop is a pipeline of an instance with a breaker that opens at once.
func shop(r *room, keyed bool, mode policy.Mode, hooks *observe.Hooks) *pipeline.Pipeline {
	c := base()
	c.Retry, c.Breaker = nil, breakerOf(policy.ScopeDependency, keyed)
	c.Breaker.FailureThreshold, c.Breaker.Mode = 1, mode
	s := pipeline.Settings{Random: func() float64 { return 0 }, Hooks: hooks}
	if r != nil {
		s.Share = r.enter()
	}
	return pipeline.NewRegistry(s).Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
}

// answers makes a call whose answer has a status, and reports whether it was sent.
func answers(t *testing.T, p *pipeline.Pipeline, key string, code int) bool {
	t.Helper()
	s := serve(status(code))
	p.Do(t.Context(), &pipeline.Call{Lookup: tenant(key)}, s)
	return len(s.attempts) > 0
}

// A breaker that one instance opens is open at the others, those too that have made no
// call yet, and nobody tells what was heard.
func TestBreakersAreShared(t *testing.T) {
	for name, keyed := range map[string]bool{"dependency": false, "key": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var r room
				var heard []observe.BreakerChange
				var b *pipeline.Pipeline
				a := shop(&r, keyed, policy.Enforce, nil)
				b = shop(&r, keyed, policy.Enforce, &observe.Hooks{BreakerChange: func(e observe.BreakerChange) {
					heard = append(heard, e)
					answers(t, b, "acme", 200) // a hook may use what it watches
				}})
				late, alone := shop(&r, keyed, policy.Enforce, nil), shop(nil, keyed, policy.Enforce, nil)
				answers(t, b, "acme", 200)
				answers(t, a, "acme", 503)
				if answers(t, b, "acme", 200) || answers(t, late, "acme", 200) {
					t.Error("a call was sent")
				}
				if !answers(t, alone, "acme", 200) || keyed && !answers(t, b, "other", 200) {
					t.Error("a breaker that nobody has opened refuses")
				}
				if len(r.told) != 1 || r.told[0].For != 30*time.Second || strings.Contains(r.told[0].Breaker, "acme") {
					t.Errorf("told %+v", r.told)
				}
				if len(heard) != 1 || !heard[0].Shared || heard[0].To != observe.Open {
					t.Errorf("heard %+v", heard)
				}
				time.Sleep(30 * time.Second)
				for _, p := range []*pipeline.Pipeline{b, b, late} {
					if !answers(t, p, "acme", 200) {
						t.Error("it does not close again")
					}
				}
			})
		})
	}
}

// A breaker that only watches tells nobody; and what cannot be told changes nothing.
func TestWhatIsNotShared(t *testing.T) {
	var r room
	watching, other := shop(&r, false, policy.Shadow, nil), shop(&r, false, policy.Enforce, nil)
	answers(t, watching, "", 503)
	if len(r.told) > 0 || !answers(t, other, "", 200) {
		t.Errorf("a shadow tells %+v", r.told)
	}
	for _, n := range []breaker.Notice{{Breaker: "petstore"}, {Breaker: "petstore", For: -1}, {Breaker: "another", For: time.Hour}} {
		r.members[1].hear(n)
	}
	if !answers(t, other, "", 200) {
		t.Error("a notice of nothing opens it")
	}
	deaf := shop(&room{}, false, policy.Enforce, nil) // nobody hears it
	var sent []bool
	for _, code := range []int{200, 503, 200} {
		sent = append(sent, answers(t, deaf, "", code))
	}
	if want := []bool{true, true, false}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

// What others tell of breakers that are not there is remembered in a bounded memory, and
// forgotten when it is over.
func TestToldIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r room
		first, second := shop(&r, false, policy.Enforce, nil), shop(&r, false, policy.Enforce, nil)
		for i := range 1024 {
			for _, m := range r.members {
				m.hear(breaker.Notice{Breaker: strconv.Itoa(i), For: time.Second})
			}
		}
		hear := func(i int) { r.members[i].hear(breaker.Notice{Breaker: "petstore", For: 20 * time.Second}) }
		if hear(0); !answers(t, first, "", 200) {
			t.Error("it remembers more than it may")
		}
		time.Sleep(time.Second)
		if hear(1); answers(t, second, "", 200) {
			t.Error("what is over takes the place of what is not")
		}
	})
}
