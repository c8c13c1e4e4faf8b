package sheds_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/sheds"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// service works for as long as it is told.
type service struct {
	sheds.Unimplemented
	takes time.Duration
}

func (s *service) Work(_ context.Context, r sheds.WorkRequest) error {
	if !r.Vital.Or(false) {
		time.Sleep(s.takes)
	}
	return nil
}

func (*service) Health(context.Context) error { return nil }

// answers are what requests at once are answered, and after how long.
type answers struct {
	mu    sync.Mutex
	codes map[int]int
	last  time.Duration // of those that were turned away
}

// crowd asks for work n times at once.
func crowd(h http.Handler, n int) *answers {
	a, begin := &answers{codes: map[int]int{}}, time.Now()
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/work", nil))
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.codes[w.Code]++; w.Code == http.StatusServiceUnavailable {
				a.last = time.Since(begin)
			}
		})
	}
	group.Wait()
	return a
}

// Of ten requests at once for 20 s of work, the two that may be in flight are answered and
// the others turned away when they have waited for the time of a burst, which is twenty
// times the target of 50 ms, unless nothing is shed.
func TestModes(t *testing.T) {
	for profile, want := range map[string]int{"": 2, "off": 10, "disabled": 10, "modeOff": 10, "watched": 10, "enforced": 2, "plain": 2} {
		synctest.Test(t, func(t *testing.T) {
			told := 0
			var mu sync.Mutex
			h := sheds.NewHandler(&service{takes: 20 * time.Second}, server.OnError(nil), server.Profile(profile), server.Observe(&observe.Hooks{
				Reject: func(_ context.Context, e observe.Reject) {
					mu.Lock()
					defer mu.Unlock()
					if e.Reason == observe.Shed && e.Shadow {
						told++
					}
				},
			}))
			a := crowd(h, 10)
			if got := a.codes[http.StatusNoContent]; got != want || a.codes[http.StatusServiceUnavailable] != 10-want {
				t.Errorf("%q: %v, want %d to be done", profile, a.codes, want)
			}
			if want == 2 && a.last != time.Second {
				t.Errorf("%q: turned away after %v", profile, a.last)
			}
			if (told > 0) != (profile == "watched") {
				t.Errorf("%q: %d told in shadow mode", profile, told)
			}
		})
	}
}

// Health is told however much there is to do, and so is what is as vital.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := sheds.NewHandler(&service{takes: 20 * time.Second}, server.OnError(nil))
		go crowd(h, 10)
		synctest.Wait()
		for _, path := range []string{"/health", "/work?vital=true"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != http.StatusNoContent {
				t.Errorf("%s: answered %d", path, w.Code)
			}
		}
		time.Sleep(time.Minute)
	})
}

// When work takes ten times as long, a limit that is learnt lets less of it in at once.
func TestAdaptive(t *testing.T) {
	for profile, less := range map[string]bool{"learns": true, "fixed": false} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{takes: 300 * time.Millisecond}
			h := sheds.NewHandler(s, server.OnError(nil), server.Profile(profile))
			for range 5 {
				if a := crowd(h, 50); a.codes[http.StatusNoContent] != 50 {
					t.Fatalf("%s: %v at first", profile, a.codes)
				}
				time.Sleep(time.Second)
			}
			s.takes = 3 * time.Second
			var a *answers
			for range 8 {
				a = crowd(h, 50)
				time.Sleep(time.Second)
			}
			if got := a.codes[http.StatusNoContent]; got < 50 != less {
				t.Errorf("%s: %v in the end", profile, a.codes)
			}
		})
	}
}
