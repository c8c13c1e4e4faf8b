package busy_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/busy"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// gate lets work through when all of a wave have come or were refused.
type gate struct {
	mu   sync.Mutex
	open chan struct{}
	left int
	in   int
	took time.Duration
}

func (g *gate) set(n int, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open, g.left, g.in, g.took = make(chan struct{}), n, 0, took
}

func (g *gate) arrive(in bool) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if in {
		g.in++
	}
	if g.left--; g.left == 0 {
		time.AfterFunc(g.took, func() { close(g.open) })
	}
	return g.open
}

// wave has eight pieces of work at once, of which ask reports whether they were refused,
// and counts those that were done.
func (g *gate) wave(took time.Duration, ask func() (refused bool)) int {
	g.set(8, took)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if ask() {
				g.arrive(false)
			}
		})
	}
	group.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}

// adapts lets slow work come after fast work, and wants less of it at once in the end.
func (g *gate) adapts(t *testing.T, ask func() bool) {
	t.Helper()
	if n := g.wave(30*time.Millisecond, ask); n != 8 {
		t.Fatalf("%d of 8 at first", n)
	}
	for range 4 {
		g.wave(30*time.Millisecond, ask)
	}
	n := 8
	for range 8 {
		n = g.wave(300*time.Millisecond, ask)
	}
	if n < 1 || n > 6 {
		t.Errorf("%d of 8 when the work takes longer", n)
	}
}

// finder answers searches when its gate opens.
type finder struct {
	busy.Unimplemented

	gate
}

func (f *finder) Search(context.Context) error {
	<-f.arrive(true)
	return nil
}

func TestAdaptiveServer(t *testing.T) {
	t.Parallel()
	f := new(finder)
	s := httptest.NewServer(busy.NewHandler(f))
	defer s.Close()
	f.adapts(t, func() bool {
		resp, err := http.Get(s.URL + "/search")
		if err != nil {
			t.Error(err)
			return true
		}
		defer resp.Body.Close()
		switch resp.StatusCode {
		case http.StatusNoContent:
			return false
		case http.StatusServiceUnavailable:
		default:
			t.Error(resp.StatusCode)
		}
		return true
	})
}

func TestAdaptiveClient(t *testing.T) {
	t.Parallel()
	g := new(gate)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-g.arrive(true)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	api, err := busy.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	g.adapts(t, func() bool {
		err := api.Search(t.Context())
		if err != nil && !errors.Is(err, fault.ErrBulkheadFull) {
			t.Error(err)
		}
		return err != nil
	})
}
