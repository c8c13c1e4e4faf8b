package semantic_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// compass embeds a number of degrees as that direction, so that the cosine of two texts is
// that of the angle between them. It notes what it was asked for.
type compass struct {
	mu    sync.Mutex
	asked []string
	takes time.Duration
	fails func(text string) error
}

func (c *compass) Embed(ctx context.Context, text string) ([]float32, error) {
	c.mu.Lock()
	c.asked = append(c.asked, text)
	c.mu.Unlock()
	if c.takes > 0 {
		select {
		case <-time.After(c.takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if c.fails != nil {
		if err := c.fails(text); err != nil {
			return nil, err
		}
	}
	degrees, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, err
	}
	sin, cos := math.Sincos(degrees / 180 * math.Pi)
	return []float32{float32(cos), float32(sin)}, nil
}

func (c *compass) times(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, t := range c.asked {
		if t == text {
			n++
		}
	}
	return n
}

func cacheOf(t *testing.T, e semantic.Embedder, opts ...semantic.Option) *semantic.Cache {
	t.Helper()
	c, err := semantic.New(e, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask is the request of a prompt.
func ask(text string) *semantic.Request {
	return &semantic.Request{
		Operation: "complete", Principal: "me", Parameters: []string{"POST", "/complete"}, ContentType: "application/json",
		Body: fmt.Appendf(nil, `{"model": "m", "prompt": %q}`, text),
	}
}

func question(t *testing.T, c *semantic.Cache, r *semantic.Request) *semantic.Question {
	t.Helper()
	q, ok := c.Question(r)
	if !ok {
		t.Fatalf("no text in %s", r.Body)
	}
	return &q
}

func answer(text string) semantic.Answer {
	return semantic.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(text)}
}

// keep stores answers to prompts that are the prompts themselves.
func keep(t *testing.T, c *semantic.Cache, texts ...string) {
	t.Helper()
	for _, text := range texts {
		c.Store(question(t, c, ask(text)), answer(text))
	}
}

// nearest is the body of what is found, empty for nothing.
func nearest(t *testing.T, c *semantic.Cache, r *semantic.Request) string {
	t.Helper()
	a, _, err := c.Nearest(t.Context(), question(t, c, r), 0.85)
	if err != nil && !errors.Is(err, semantic.ErrNothing) {
		t.Fatal(err)
	}
	return string(a.Body)
}

// The cosine of 31 degrees is 0.857, that of 32 is 0.848.
func TestSimilarity(t *testing.T) {
	e := &compass{}
	c := cacheOf(t, e)
	if got := nearest(t, c, ask("0")); got != "" || len(e.asked) != 0 {
		t.Errorf("an empty cache gives %q, after embedding %v", got, e.asked)
	}
	keep(t, c, "0", "120")
	for text, want := range map[string]string{"31": "0", "-31": "0", "32": "", "88": "", "89": "120", "180": ""} {
		if got := nearest(t, c, ask(text)); got != want {
			t.Errorf("%s degrees: %q, want %q", text, got, want)
		}
	}
	_, cos, err := c.Nearest(t.Context(), question(t, c, ask("150")), math.Sqrt(3)/2)
	if err != nil || math.Abs(cos-math.Sqrt(3)/2) > 1e-6 {
		t.Errorf("at the bound: %v, %v", cos, err)
	}
	a, cos, err := c.Nearest(t.Context(), question(t, c, ask("360")), 1)
	if err != nil || string(a.Body) != "0" || a.Status != 200 || a.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("the same direction: %+v, %v, %v", a, cos, err)
	}
}

// Storing embeds nothing, and a text is embedded once.
func TestEmbedsLate(t *testing.T) {
	e := &compass{}
	c := cacheOf(t, e)
	keep(t, c, "10", "20")
	if got := nearest(t, c, ask("10")); got != "10" || len(e.asked) != 0 {
		t.Errorf("the same text: %q, after embedding %v", got, e.asked)
	}
	_ = nearest(t, c, ask("30"))
	_ = nearest(t, c, ask("40"))
	keep(t, c, "10") // anew, with the vector it has
	_ = nearest(t, c, ask("50"))
	// The one used last comes first: 10 was found by its text.
	if want := []string{"30", "10", "20", "40", "50"}; !slices.Equal(e.asked, want) {
		t.Errorf("embedded %v, want %v", e.asked, want)
	}
	if s := c.Stats(); s.Entries != 2 || s.Embedded != 2 {
		t.Errorf("%+v", s)
	}
}

func TestSameElsewhere(t *testing.T) {
	for name, change := range map[string]func(*semantic.Request){
		"principal":    func(r *semantic.Request) { r.Principal = "you" },
		"operation":    func(r *semantic.Request) { r.Operation = "other" },
		"parameters":   func(r *semantic.Request) { r.Parameters = []string{"POST", "/complet", "e"} },
		"model":        func(r *semantic.Request) { r.Body = []byte(`{"model": "n", "prompt": "0"}`) },
		"temperature":  func(r *semantic.Request) { r.Body = []byte(`{"model": "m", "prompt": "0", "temperature": 0}`) },
		"content type": func(r *semantic.Request) { r.ContentType = "application/x+json" },
	} {
		c := cacheOf(t, &compass{})
		keep(t, c, "0")
		r := ask("0")
		change(r)
		if got := nearest(t, c, r); got != "" {
			t.Errorf("another %s: %q", name, got)
		}
	}
	c := cacheOf(t, &compass{})
	keep(t, c, "0")
	r := ask("0")
	r.Body = []byte(" {\"prompt\": \"1\",\n \"model\": \"m\"}")
	if got := nearest(t, c, r); got != "0" {
		t.Errorf("members in another order: %q", got)
	}
}

func TestStoresAnswersOnly(t *testing.T) {
	c := cacheOf(t, &compass{})
	q := question(t, c, ask("0"))
	c.Store(q, semantic.Answer{Status: 404, Body: []byte("x")})
	c.Store(q, semantic.Answer{Status: 304, Body: []byte("x")})
	c.Store(q, semantic.Answer{Status: 204})
	c.Store(&semantic.Question{}, answer("x"))
	if s := c.Stats(); s != (semantic.Stats{}) {
		t.Errorf("%+v", s)
	}
}

func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cacheOf(t, &compass{}, semantic.TTL(time.Minute))
		keep(t, c, "0")
		time.Sleep(time.Minute - time.Nanosecond)
		if nearest(t, c, ask("0")) != "0" || nearest(t, c, ask("1")) != "0" {
			t.Error("gone before its time")
		}
		time.Sleep(time.Nanosecond)
		if nearest(t, c, ask("0")) != "" || nearest(t, c, ask("1")) != "" {
			t.Error("there after its time")
		}
		if s := c.Stats(); s != (semantic.Stats{}) {
			t.Errorf("%+v", s)
		}
	})
}

func TestBounds(t *testing.T) {
	c := cacheOf(t, &compass{}, semantic.MaxEntries(3))
	keep(t, c, "0", "60", "120")
	_ = nearest(t, c, ask("1")) // uses the oldest
	keep(t, c, "180")
	for text, want := range map[string]string{"0": "0", "60": "", "120": "120", "180": "180"} {
		if got := nearest(t, c, ask(text)); got != want {
			t.Errorf("of three: %s gives %q", text, got)
		}
	}

	c = cacheOf(t, &compass{}, semantic.MaxBytes(16<<10))
	for i := range 100 {
		text := strconv.Itoa(i)
		c.Store(question(t, c, ask(text)), answer(strings.Repeat("x", 1000)))
		if s := c.Stats(); s.Bytes > 16<<10 {
			t.Fatalf("%+v", s)
		}
	}
	if s := c.Stats(); s.Entries < 8 || s.Entries > 16 {
		t.Errorf("%+v", s)
	}
	before := c.Stats().Entries
	c.Store(question(t, c, ask("200")), answer(strings.Repeat("x", 2<<10)))
	if after := c.Stats().Entries; after != before {
		t.Errorf("an answer of more than an eighth: %d entries, then %d", before, after)
	}
	c.Clear()
	if s := c.Stats(); s != (semantic.Stats{}) {
		t.Errorf("cleared: %+v", s)
	}

	c = cacheOf(t, &compass{}, semantic.MaxText(3))
	if _, ok := c.Question(ask("1234")); ok {
		t.Error("a text that is too long is a question")
	}
	if _, ok := c.Question(ask("123")); !ok {
		t.Error("a text that is just short enough is none")
	}
}

// Vectors count as well: these take 64 KiB each where their texts took a few bytes.
func TestVectorsCount(t *testing.T) {
	c := cacheOf(t, semantic.EmbedFunc(func(context.Context, string) ([]float32, error) {
		v := make([]float32, semantic.MaxDimensions)
		v[0] = 1
		return v, nil
	}), semantic.MaxBytes(256<<10))
	keep(t, c, "1", "2", "3", "4", "5", "6", "7", "8")
	if got := nearest(t, c, ask("9")); got == "" {
		t.Error("nothing is found")
	}
	if s := c.Stats(); s.Bytes > 256<<10 || s.Entries != 3 || s.Embedded != 3 {
		t.Errorf("%+v", s)
	}
}

func TestWrongOptions(t *testing.T) {
	if _, err := semantic.New(nil); err == nil {
		t.Error("a cache without an embedder")
	}
	for name, o := range map[string]semantic.Option{
		"TTL": semantic.TTL(0), "MaxEntries": semantic.MaxEntries(0), "MaxBytes": semantic.MaxBytes(-1), "MaxText": semantic.MaxText(0),
		"no slash": semantic.Pointers("prompt"), "the whole": semantic.Pointers(""), "a tilde": semantic.Pointers("/a~2"),
	} {
		if _, err := semantic.New(&compass{}, o); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := semantic.New(&compass{}, nil); err != nil {
		t.Error(err)
	}
}
