package cache_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

func TestBinary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		e := &cache.Entry{
			Status: rapid.IntRange(100, 999).Draw(t, "status"), Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"), Header: http.Header{},
			Requested: time.Unix(0, rapid.Int64().Draw(t, "requested")), Received: time.Unix(0, rapid.Int64().Draw(t, "received")),
		}
		for _, name := range rapid.SliceOfDistinct(text, rapid.ID[string]).Draw(t, "names") {
			e.Header[name] = rapid.SliceOf(text).Draw(t, "values")
			e.Vary = append(e.Vary, cache.Selector{Name: name, Value: text.Draw(t, "value")})
		}
		b, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got cache.Entry
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, &got, cmpopts.IgnoreUnexported(cache.Entry{}), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever a store gives: it is an entry or an error, and takes no more room than it has.
func FuzzUnmarshalBinary(f *testing.F) {
	b, err := (&cache.Entry{Status: 200, Header: http.Header{"Age": {"1", "2"}}, Body: []byte("x"), Vary: []cache.Selector{{Name: "A", Value: "b"}}}).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{})
	f.Add([]byte{1, 200, 1, 0, 0, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, b []byte) {
		var e cache.Entry
		if err := e.UnmarshalBinary(b); err != nil {
			return
		}
		again, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var same cache.Entry
		if err := same.UnmarshalBinary(again); err != nil {
			t.Errorf("%x: %v", again, err)
		}
	})
}

// remote is a store that holds bytes, as one outside of the process does.
type remote struct{ cache.Memory }

func (r *remote) Put(ctx context.Context, k cache.Key, e *cache.Entry) error {
	b, err := e.MarshalBinary()
	if err != nil {
		return err
	}
	stored := new(cache.Entry)
	if err := stored.UnmarshalBinary(b); err != nil {
		return err
	}
	return r.Memory.Put(ctx, k, stored)
}

// An entry from outside is as fresh as it was.
func TestRemoteStore(t *testing.T) {
	u := use(t, cache.Options{Store: &remote{}}, nil, numbered("Cache-Control: max-age=60", "Age: 20", "Vary: Foo"))
	u.want("1", "fwd=uri-miss", "Foo: a")
	u.want("1", "hit; ttl=", "Foo: a")
	u.want("2", "fwd=vary-miss", "Foo: b")
}
