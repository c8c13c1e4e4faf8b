package semantic_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/semantic"
	"pgregory.net/rapid"
)

// An embedding takes a second. Of ten seconds the question takes one, and three quarters of
// the other nine are enough for six texts; the next rescue goes on.
func TestFillIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &compass{takes: time.Second}
		c := cacheOf(t, e)
		for i := range 10 {
			keep(t, c, strconv.Itoa(i))
		}
		for _, want := range []int{6, 10} {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			begin := time.Now()
			a, _, err := c.Nearest(ctx, question(t, c, ask("-1")), 0.85)
			cancel()
			if err != nil || time.Since(begin) > 7750*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(begin))
			}
			if s := c.Stats(); s.Embedded != want {
				t.Errorf("%+v, want %d embedded", s, want)
			}
			// The newest ones are embedded first, so 4 is the nearest of the first six.
			if got := string(a.Body); got != map[int]string{6: "4", 10: "0"}[want] {
				t.Errorf("with %d embedded: %s", want, got)
			}
		}
	})
}

func TestQuestionIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cacheOf(t, &compass{takes: time.Minute})
		keep(t, c, "0")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		_, _, err := c.Nearest(ctx, question(t, c, ask("1")), 0.85)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// An outage fails many calls at once; the texts that are stored are embedded once.
func TestFillsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &compass{takes: 10 * time.Millisecond}
		c := cacheOf(t, e)
		keep(t, c, "0", "1", "2", "3")
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				q, _ := c.Question(ask(strconv.Itoa(10 + i)))
				if _, _, err := c.Nearest(ctx, &q, 0.85); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, text := range []string{"0", "1", "2", "3"} {
			if n := e.times(text); n != 1 {
				t.Errorf("%s is embedded %d times", text, n)
			}
		}
	})
}

// batches is an embedder of lists.
type batches struct {
	compass

	sizes []int
	spoil func(texts []string, vectors [][]float32) ([][]float32, error)
}

func (b *batches) EmbedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	b.sizes = append(b.sizes, len(texts))
	var out [][]float32
	for _, text := range texts {
		v, err := (&compass{}).Embed(ctx, text)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if b.spoil != nil {
		return b.spoil(texts, out)
	}
	return out, nil
}

func TestBatches(t *testing.T) {
	e := &batches{}
	c := cacheOf(t, e)
	for i := range 300 {
		keep(t, c, strconv.Itoa(i))
	}
	// The newest 256 are 44 to 299: 45 and 60 degrees away at least.
	if got := nearest(t, c, ask("-1")); got != "" {
		t.Errorf("%q", got)
	}
	if want := []int{64, 64, 64, 64}; !slices.Equal(e.sizes, want) {
		t.Errorf("batches of %v, want %v", e.sizes, want)
	}
	if got := nearest(t, c, ask("-2")); got != "0" {
		t.Errorf("after the second rescue: %q", got)
	}
	if want := []int{64, 64, 64, 64, 44}; !slices.Equal(e.sizes, want) {
		t.Errorf("batches of %v, want %v", e.sizes, want)
	}
}

// A batch that fails is tried text by text, and a vector that is none harms only its own.
func TestSpoiltBatches(t *testing.T) {
	for name, spoil := range map[string]func(texts []string, vectors [][]float32) ([][]float32, error){
		"an error":   func([]string, [][]float32) ([][]float32, error) { return nil, errors.New("too many") },
		"one less":   func(_ []string, v [][]float32) ([][]float32, error) { return v[1:], nil },
		"none":       func([]string, [][]float32) ([][]float32, error) { return nil, nil },
		"a nil":      func(_ []string, v [][]float32) ([][]float32, error) { v[0] = nil; return v, nil },
		"a NaN":      func(_ []string, v [][]float32) ([][]float32, error) { v[0][0] = float32(math.NaN()); return v, nil },
		"other size": func(_ []string, v [][]float32) ([][]float32, error) { v[0] = []float32{1}; return v, nil },
	} {
		e := &batches{spoil: spoil}
		c := cacheOf(t, e)
		keep(t, c, "0", "90") // 90 comes first, as the newer one
		if got := nearest(t, c, ask("1")); got != "0" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestBadVectors(t *testing.T) {
	for name, v := range map[string][]float32{
		"nil": nil, "zero": {0, 0}, "infinite": {float32(math.Inf(1)), 0}, "NaN": {float32(math.NaN())}, "large": make([]float32, semantic.MaxDimensions+1),
	} {
		c := cacheOf(t, semantic.EmbedFunc(func(context.Context, string) ([]float32, error) { return v, nil }))
		keep(t, c, "0")
		if _, _, err := c.Nearest(t.Context(), question(t, c, ask("1")), 0.85); err == nil || errors.Is(err, semantic.ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text that cannot be embedded does not keep the others from their turn, and an embedder
// that is down is not asked for all of them.
func TestFailingTexts(t *testing.T) {
	broken := errors.New("broken")
	e := &compass{fails: func(text string) error {
		if text == "90" {
			return broken
		}
		return nil
	}}
	c := cacheOf(t, e)
	keep(t, c, "0", "90")
	if got := nearest(t, c, ask("1")); got != "0" {
		t.Errorf("%q", got)
	}
	_, _, err := c.Nearest(t.Context(), question(t, c, ask("180")), 0.85)
	if !errors.Is(err, semantic.ErrNothing) || !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}

	e = &compass{fails: func(text string) error {
		if text == "1" {
			return nil
		}
		return broken
	}}
	c = cacheOf(t, e)
	keep(t, c, "10", "11", "12", "13", "14")
	if _, _, err := c.Nearest(t.Context(), question(t, c, ask("1")), 0.85); !errors.Is(err, broken) || len(e.asked) != 4 {
		t.Errorf("%v, after embedding %v", err, e.asked)
	}
}

// Whatever directions are stored, the nearest by the cosine of the embedder's numbers is found.
func TestNearestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dimensions := rapid.IntRange(1, 8).Draw(rt, "dimensions")
		direction := rapid.Custom(func(rt *rapid.T) []float32 {
			v := rapid.SliceOfN(rapid.Float32Range(-1, 1), dimensions, dimensions).Draw(rt, "vector")
			if slices.Max(v) < 0.01 && slices.Min(v) > -0.01 {
				v[0] = 1
			}
			return v
		})
		stored := rapid.SliceOfN(direction, 1, 40).Draw(rt, "stored")
		asked := direction.Draw(rt, "asked")
		bound := rapid.Float64Range(0.01, 1).Draw(rt, "similarity")
		e := semantic.EmbedFunc(func(_ context.Context, text string) ([]float32, error) {
			if text == "-1" {
				return asked, nil
			}
			i, err := strconv.Atoi(text)
			if err != nil {
				return nil, err
			}
			return stored[i], nil
		})
		c := cacheOf(t, e)
		best := -1.0
		for i := range stored {
			keep(t, c, strconv.Itoa(i))
			best = max(best, slowCosine(stored[i], asked))
		}
		a, cos, err := c.Nearest(t.Context(), question(t, c, ask("-1")), bound)
		switch {
		case math.Abs(best-bound) < 2e-6:
			return // either is right
		case best < bound:
			if !errors.Is(err, semantic.ErrNothing) {
				rt.Fatalf("the best is %v of %v: %v, %v", best, bound, cos, err)
			}
		case err != nil || math.Abs(cos-best) > 1e-9:
			rt.Fatalf("%v, %v, want %v", cos, err, best)
		default:
			i, err := strconv.Atoi(string(a.Body))
			if err != nil || math.Abs(slowCosine(stored[i], asked)-best) > 1e-9 {
				rt.Fatalf("%s is not the nearest", a.Body)
			}
		}
	})
}

// slowCosine divides both vectors by their lengths first.
func slowCosine(a, b []float32) float64 {
	length := func(v []float32) float64 {
		n := 0.0
		for _, p := range v {
			n = math.Hypot(n, float64(p))
		}
		return n
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) / length(a) * (float64(b[i]) / length(b))
	}
	return sum
}

// Everything at once, for the race detector; the bounds hold all the while.
func TestConcurrent(t *testing.T) {
	c := cacheOf(t, &compass{}, semantic.MaxEntries(20))
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 100 {
				text := strconv.Itoa((worker*37 + i*11) % 90)
				q, _ := c.Question(ask(text))
				if i%3 == 0 {
					c.Store(&q, answer(text))
				} else if a, _, err := c.Nearest(t.Context(), &q, 0.85); err == nil {
					if err := near(text, string(a.Body)); err != nil {
						t.Error(err)
					}
				}
				if s := c.Stats(); s.Entries > 20 || s.Bytes < 0 {
					t.Errorf("%+v", s)
				}
			}
		})
	}
	wg.Wait()
}

// near reports an answer that is more than 31.8 degrees away.
func near(asked, got string) error {
	a, err1 := strconv.Atoi(asked)
	b, err2 := strconv.Atoi(got)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if math.Abs(float64(a-b)) > 31.8 {
		return fmt.Errorf("%s gives %s", asked, got)
	}
	return nil
}
