package cache_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// mute is a store that does not tell what it holds.
type mute struct{ cache.Store }

func TestStats(t *testing.T) {
	m := &cache.Memory{}
	c := cache.New(cache.Options{Store: m})
	defer c.Close()
	if n, bytes, ok := c.Stats(); n != 0 || bytes != 0 || !ok {
		t.Errorf("empty: %d, %d, %v", n, bytes, ok)
	}
	if err := m.Put(t.Context(), cache.Key{Resource: "/a"}, &cache.Entry{Body: make([]byte, 100)}); err != nil {
		t.Fatal(err)
	}
	if n, bytes, ok := c.Stats(); n != 1 || bytes < 100 || bytes != m.Bytes() || !ok {
		t.Errorf("%d, %d, %v", n, bytes, ok)
	}
	other := cache.New(cache.Options{Store: mute{m}})
	defer other.Close()
	if _, _, ok := other.Stats(); ok {
		t.Error("a store that does not tell")
	}
}
