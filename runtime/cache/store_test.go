package cache_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/cache/cachetest"
)

func entry(body string, vary ...cache.Selector) *cache.Entry {
	return &cache.Entry{Status: 200, Header: http.Header{}, Body: []byte(body), Vary: vary}
}

func bodies(t *testing.T, m *cache.Memory, k cache.Key) string {
	t.Helper()
	list, err := m.Get(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range list {
		texts = append(texts, string(e.Body))
	}
	return strings.Join(texts, " ")
}

func put(t *testing.T, m *cache.Memory, k cache.Key, e *cache.Entry) {
	t.Helper()
	if err := m.Put(t.Context(), k, e); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryVariants(t *testing.T) {
	var m cache.Memory
	k := cache.Key{Resource: "http://x.test/"}
	a, b := cache.Selector{Name: "Foo", Value: "a"}, cache.Selector{Name: "Foo", Value: "b"}
	put(t, &m, k, entry("1", a))
	put(t, &m, k, entry("2", b))
	put(t, &m, k, entry("3", a)) // in place of the first
	if got := bodies(t, &m, k); got != "2 3" || m.Len() != 2 {
		t.Errorf("%q", got)
	}
	if err := m.Remove(t.Context(), k, entry("", b)); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(t.Context(), k, entry("", b)); err != nil {
		t.Fatal(err)
	}
	if got := bodies(t, &m, k); got != "3" {
		t.Errorf("%q", got)
	}
	for i := range 1000 {
		put(t, &m, k, entry("", cache.Selector{Name: "Foo", Value: strconv.Itoa(i)}))
	}
	if n := m.Len(); n != 64 {
		t.Errorf("%d variants of one key", n)
	}
}

// What was used last stays.
func TestMemoryOrder(t *testing.T) {
	m := cache.Memory{MaxBytes: 20_000}
	key := func(i int) cache.Key { return cache.Key{Resource: fmt.Sprintf("http://x.test/%d", i)} }
	body := strings.Repeat("x", 1500)
	for i := range 100 {
		put(t, &m, key(i), entry(body))
		if bodies(t, &m, key(0)) == "" {
			t.Fatalf("the entry in use has gone after %d others", i)
		}
	}
	if m.Bytes() > 20_000 || m.Len() < 8 || m.Len() > 10 {
		t.Errorf("%d bytes in %d entries", m.Bytes(), m.Len())
	}
	if bodies(t, &m, key(99)) == "" || bodies(t, &m, key(50)) != "" {
		t.Error("the order of use is not kept")
	}
	put(t, &m, key(1000), entry(strings.Repeat("x", 2500)))
	if bodies(t, &m, key(1000)) != "" {
		t.Error("one entry takes more than an eighth")
	}
}

// The memory does what a plain list does, whatever the order of calls.
func TestMemoryModel(t *testing.T) {
	type slot struct {
		key     cache.Key
		variant string
	}
	rapid.Check(t, func(t *rapid.T) {
		var m cache.Memory
		model := map[slot]string{}
		names := rapid.SampledFrom([]string{"", "a", "b"})
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			k := cache.Key{Resource: names.Draw(t, "resource"), Operation: names.Draw(t, "operation"), Principal: names.Draw(t, "principal")}
			v := cache.Selector{Name: "Foo", Value: names.Draw(t, "variant")}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				text := strconv.Itoa(i)
				_ = m.Put(t.Context(), k, entry(text, v))
				model[slot{k, v.Value}] = text
			case 2:
				_ = m.Remove(t.Context(), k, entry("", v))
				delete(model, slot{k, v.Value})
			case 3:
				s := cache.Scope{Resource: k.Resource, Operation: k.Operation, Principal: k.Principal, OfPrincipal: rapid.Bool().Draw(t, "of")}
				_ = m.Invalidate(t.Context(), s)
				for at := range model {
					if s.Resource == "" && s.Operation == "" {
						break
					}
					if (s.Resource == "" || at.key.Resource == s.Resource) && (s.Operation == "" || at.key.Operation == s.Operation) &&
						(!s.OfPrincipal || at.key.Principal == s.Principal) {
						delete(model, at)
					}
				}
			}
		}
		if m.Len() != len(model) {
			t.Fatalf("%d entries, want %d", m.Len(), len(model))
		}
		for at, want := range model {
			list, _ := m.Get(t.Context(), at.key)
			found := false
			for _, e := range list {
				found = found || e.Vary[0].Value == at.variant && string(e.Body) == want
			}
			if !found {
				t.Errorf("%+v is not there", at)
			}
		}
		for at := range model {
			_ = m.Remove(t.Context(), at.key, entry("", cache.Selector{Name: "Foo", Value: at.variant}))
		}
		if m.Bytes() != 0 {
			t.Errorf("%d bytes are left of nothing", m.Bytes())
		}
	})
}

func TestMemoryConcurrent(t *testing.T) {
	m := cache.Memory{MaxBytes: 50_000}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 300 {
				k := cache.Key{Resource: strconv.Itoa(i % 20), Operation: "o"}
				_ = m.Put(t.Context(), k, entry("text", cache.Selector{Name: "Foo", Value: strconv.Itoa(g)}))
				_, _ = m.Get(t.Context(), k)
				if i%50 == 0 {
					_ = m.Invalidate(t.Context(), cache.Scope{Operation: "o"})
				}
			}
		})
	}
	wg.Wait()
	if m.Bytes() > 50_000 {
		t.Errorf("%d bytes", m.Bytes())
	}
}

func TestConformance(t *testing.T) {
	cachetest.Run(t, func(*testing.T) cache.Store { return &cache.Memory{} })
}

func TestConformanceOfBytes(t *testing.T) {
	cachetest.Run(t, func(*testing.T) cache.Store { return &remote{} })
}
