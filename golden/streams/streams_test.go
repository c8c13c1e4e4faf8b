package streams_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/golden/streams"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// model answers each prompt with the next of its answers, piece by piece; a piece may be an
// error event, "!CODE", or the end of the connection, "cut".
type model struct {
	streams.Unimplemented

	mu      sync.Mutex
	answers [][]string
	asked   []string
}

func (m *model) Complete(_ context.Context, r streams.CompleteRequest) (iter.Seq2[streams.Chunk, error], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, r.Body.Text)
	pieces := m.answers[min(len(m.asked), len(m.answers))-1]
	return func(yield func(streams.Chunk, error) bool) {
		for _, p := range pieces {
			var c streams.Chunk
			if code, bad := strings.CutPrefix(p, "!"); bad {
				c.Error = &streams.ChunkError{Code: value.Some(code)}
			} else {
				c.Text = value.Some(p)
			}
			var err error
			if p == "cut" {
				err = errors.New("broken")
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}, nil
}

// Plain answers like Complete.
func (m *model) Plain(ctx context.Context) (iter.Seq2[streams.Chunk, error], error) {
	return m.Complete(ctx, streams.CompleteRequest{})
}

// connected is a client of a handler, over TCP.
func connected(t *testing.T, h http.Handler) *streams.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := streams.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().Close)
	return c
}

func served(t *testing.T, svc streams.Service) *streams.Client {
	t.Helper()
	return connected(t, streams.NewHandler(svc, server.OnError(nil)))
}

// text reads what a model says.
func text(s *client.Stream[streams.Chunk], err error) (string, error) {
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for c, err := range s.All() {
		if err != nil {
			return b.String(), err
		}
		b.WriteString(c.Text.Or(""))
		if c.Error != nil {
			b.WriteString("!" + c.Error.Code.Or(""))
		}
	}
	return b.String(), nil
}

// A model that fails before its first piece is asked again, by the rules; one that fails
// later ends with what it says is wrong.
func TestComplete(t *testing.T) {
	for name, tc := range map[string]struct {
		answers [][]string
		want    string
		code    string // of the error event; empty for none
		kind    fault.Kind
		asked   int
	}{
		"fine":               {answers: [][]string{{"a", "b"}}, want: "ab", asked: 1},
		"overloaded":         {answers: [][]string{{"!overloaded"}, {"!overloaded", "x"}, {"a", "b"}}, want: "ab", asked: 3},
		"overloaded for all": {answers: [][]string{{"!overloaded"}}, code: "overloaded", kind: fault.Status, asked: 3},
		"unknown":            {answers: [][]string{{"!mishap"}, {"a"}}, want: "a", asked: 2},
		"invalid":            {answers: [][]string{{"!invalid_request"}, {"a"}}, code: "invalid_request", kind: fault.Status, asked: 1},
		"cut":                {answers: [][]string{{"cut"}, {"a"}}, want: "a", asked: 2},
		"overloaded later":   {answers: [][]string{{"a", "!overloaded"}, {"b"}}, want: "a", code: "overloaded", kind: fault.Status, asked: 1},
		"cut later":          {answers: [][]string{{"a", "cut"}, {"b"}}, want: "a", kind: fault.Transport, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{answers: tc.answers}
			c := served(t, m)
			got, err := text(c.Complete(t.Context(), streams.CompleteRequest{Body: streams.Prompt{Text: "hi"}}))
			if got != tc.want || len(m.asked) != tc.asked || slices.ContainsFunc(m.asked, func(s string) bool { return s != "hi" }) {
				t.Errorf("%q after %q", got, m.asked)
			}
			var f *fault.Error
			if failed := errors.As(err, &f); failed != (tc.kind != fault.Other) || failed && f.Kind != tc.kind {
				t.Errorf("%v", err)
			}
			if e, told := errors.AsType[*client.StreamError](err); told != (tc.code != "") || told && e.Code != tc.code {
				t.Errorf("%v, want the code %q", err, tc.code)
			}
		})
	}
}

// Without stream in the policy an error is an item like all others, and nothing is tried
// again after the header.
func TestPlain(t *testing.T) {
	m := &model{answers: [][]string{{"!overloaded", "a", "cut"}}}
	got, err := text(served(t, m).Plain(t.Context()))
	if f, ok := errors.AsType[*fault.Error](err); got != "!overloadeda" || !ok || f.Kind != fault.Transport || len(m.asked) != 1 {
		t.Errorf("%q, %v after %d requests", got, err, len(m.asked))
	}
}

// Models end their events with a mark that is no JSON.
func TestCompleteEndsWithDone(t *testing.T) {
	c := connected(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"text\":\"a\"}\n\ndata: [DONE]\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // the connection stays open
	}))
	if got, err := text(c.Complete(t.Context(), streams.CompleteRequest{})); got != "a" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// orders sends the events of a list from the one after Last-Event-ID on, some at a time, and
// then breaks the connection.
type orders struct {
	last, burst int

	mu    sync.Mutex
	after []string
}

func (o *orders) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := 0
	id := r.Header.Get("Last-Event-ID")
	_, _ = fmt.Sscan(id, &from)
	o.mu.Lock()
	o.after = append(o.after, id)
	o.mu.Unlock()
	if from > o.last {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, `{"title": "too old"}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	for n := from + 1; n <= min(o.last, from+o.burst); n++ {
		_, _ = fmt.Fprintf(w, "retry: 5\nid: %d\ndata: {\"number\":%d,\"state\":\"paid\"}\n\n", n, n)
	}
	_ = http.NewResponseController(w).Flush()
	if from+o.burst < o.last {
		panic(http.ErrAbortHandler)
	}
}

// A feed whose connection breaks again and again gives each event once, in order.
func TestWatchOrders(t *testing.T) {
	o := &orders{last: 20, burst: 3}
	s, err := connected(t, o).WatchOrders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next := int64(1)
	for v, err := range s.All() {
		if err != nil || v.Number != next || s.Event().ID != strconv.FormatInt(next, 10) {
			t.Fatalf("order %d, %v, want %d", v.Number, err, next)
		}
		next++
	}
	if want := []string{"", "3", "6", "9", "12", "15", "18"}; next != 21 || !slices.Equal(o.after, want) {
		t.Errorf("%d orders, asked after %q", next-1, o.after)
	}
}

// A feed that cannot go on ends with the document's own error.
func TestWatchOrdersGone(t *testing.T) {
	n := 0
	s, err := connected(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n > 1 {
			(&orders{last: -1}).ServeHTTP(w, r)
			return
		}
		(&orders{last: 9, burst: 1}).ServeHTTP(w, r)
	})).WatchOrders(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range s.All() {
		last = err
	}
	if e, ok := errors.AsType[*streams.WatchOrdersGone](last); !ok || e.Body.Title.Or("") != "too old" || n != 2 {
		t.Errorf("%v after %d requests", last, n)
	}
}

// ledger is a service whose list breaks off after some changes.
type ledger struct {
	streams.Unimplemented

	last, burst int64

	mu    sync.Mutex
	after []int64
}

func (l *ledger) ListChanges(_ context.Context, r streams.ListChangesRequest) (iter.Seq2[streams.Change, error], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := r.After.Or(0)
	l.after = append(l.after, from)
	return func(yield func(streams.Change, error) bool) {
		for n := from + 1; n <= l.last; n++ {
			if n > from+l.burst {
				yield(streams.Change{}, errors.New("broken"))
				return
			}
			if !yield(streams.Change{Position: n}, nil) {
				return
			}
		}
	}, nil
}

// A list goes on by the position of its last item, between a generated client and a
// generated server.
func TestListChanges(t *testing.T) {
	l := &ledger{last: 30, burst: 7}
	s, err := served(t, l).ListChanges(t.Context(), streams.ListChangesRequest{After: value.Some(int64(2))})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for v, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v.Position)
	}
	for i, n := range got {
		if n != int64(i)+3 {
			t.Fatalf("got %v", got)
		}
	}
	if want := []int64{2, 9, 16, 23}; len(got) != 28 || !slices.Equal(l.after, want) {
		t.Errorf("%d changes, asked after %v, want %v", len(got), l.after, want)
	}
}
