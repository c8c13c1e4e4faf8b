package wiki_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/golden/wiki"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// store has one page and one note, each with the number of its last write.
type store struct {
	mu         sync.Mutex
	text, note string
	version    int
	revision   int64
}

func (s *store) GetPage(ctx context.Context, _ wiki.GetPageRequest) (*wiki.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	server.SetVersion(ctx, "v "+strconv.Itoa(s.version))
	return &wiki.Page{Text: s.text}, nil
}

func (s *store) PutPage(ctx context.Context, r wiki.PutPageRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := server.CheckVersion(ctx, "v "+strconv.Itoa(s.version)); err != nil {
		return err
	}
	s.text = r.Body.Text
	s.version++
	server.SetVersion(ctx, "v "+strconv.Itoa(s.version))
	return nil
}

func (s *store) GetNote(context.Context, wiki.GetNoteRequest) (*wiki.Note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &wiki.Note{Text: s.note, Revision: value.Some(s.revision)}, nil
}

func (s *store) PutNote(ctx context.Context, r wiki.PutNoteRequest) (*wiki.Note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := server.ExpectedVersion(ctx); ok && v != strconv.FormatInt(s.revision, 10) {
		return nil, server.ErrVersionConflict
	}
	s.note = r.Body.Text
	s.revision++
	return &wiki.Note{Text: s.note, Revision: value.Some(s.revision)}, nil
}

func serve(t *testing.T, s *store, opts ...server.Option) (url string) {
	t.Helper()
	ts := httptest.NewServer(wiki.NewHandler(s, opts...))
	t.Cleanup(ts.Close)
	return ts.URL
}

// do sends one request. Fields are names and values in turn.
func do(t *testing.T, method, url, body string, fields ...string) (resp *http.Response, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	resp, err = http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// A version that the method tells is the ETag of what it reads, and what is written has to
// name it.
func TestVersionOfTheMethod(t *testing.T) {
	s := &store{text: "one", version: 7}
	url := serve(t, s) + "/pages/a"
	resp, _ := do(t, http.MethodGet, url, "")
	if tag := resp.Header.Get("ETag"); resp.StatusCode != http.StatusOK || tag != `"v%207"` {
		t.Fatal(resp.StatusCode, tag)
	}
	if resp, _ := do(t, http.MethodGet, url, "", "If-None-Match", `"v%207"`); resp.StatusCode != http.StatusNotModified {
		t.Error(resp.StatusCode)
	}
	put := func(status int, problem string, fields ...string) *http.Response {
		t.Helper()
		resp, body := do(t, http.MethodPut, url, `{"text":"two"}`, fields...)
		if resp.StatusCode != status || !strings.Contains(body, problem) {
			t.Errorf("%q: %d %s, want %d", fields, resp.StatusCode, body, status)
		}
		return resp
	}
	put(http.StatusPreconditionRequired, "urn:holdfast:problem:version-required")
	put(http.StatusPreconditionFailed, "urn:holdfast:problem:version-conflict", "If-Match", `"v%206"`)
	put(http.StatusPreconditionFailed, "version-conflict", "If-Match", `W/"v%207"`)
	put(http.StatusPreconditionFailed, "version-conflict", "If-None-Match", "*")
	put(http.StatusBadRequest, "entity tags", "If-Match", "7")
	if s.version != 7 {
		t.Fatalf("a write that was refused has made version %d", s.version)
	}
	if resp := put(http.StatusNoContent, "", "If-Match", `"other", "v%207"`); resp.Header.Get("ETag") != `"v%208"` {
		t.Errorf("what was written has the tag %q", resp.Header.Get("ETag"))
	}
	put(http.StatusNoContent, "", "If-Match", "*")
	put(http.StatusNoContent, "", "If-None-Match", `"v%201"`)
}

// A version that stands in the body is the ETag of an answer, and what a write is held to.
func TestVersionInTheBody(t *testing.T) {
	s := &store{note: "one", revision: 3}
	url := serve(t, s) + "/notes/a"
	if resp, _ := do(t, http.MethodGet, url, ""); resp.Header.Get("ETag") != `"3"` {
		t.Error(resp.Header)
	}
	for _, c := range []struct {
		body   string
		status int
		fields []string
	}{
		{`{"text":"two","revision":2}`, http.StatusConflict, nil},
		{`{"text":"two","revision":3}`, http.StatusConflict, []string{"If-Match", `"2"`}}, // one of them is wrong
		{`{"text":"two","revision":3}`, http.StatusOK, []string{"If-Match", `"3"`}},
		{`{"text":"two","revision":4}`, http.StatusOK, nil},
		{`{"text":"two"}`, http.StatusOK, nil}, // without any it is the writer's risk
		{`{"text":"two"}`, http.StatusConflict, []string{"If-Match", `"4"`}},
	} {
		if resp, body := do(t, http.MethodPut, url, c.body, c.fields...); resp.StatusCode != c.status {
			t.Errorf("%s %q: %d %s, want %d", c.body, c.fields, resp.StatusCode, body, c.status)
		}
	}
}

// In shadow mode writes pass, and lost races are reported.
func TestWatchedVersions(t *testing.T) {
	var lost atomic.Int32
	s := &store{version: 7}
	url := serve(t, s, server.Profile("watched"), server.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
		if e.Reason == observe.Precondition && e.Shadow && e.Op == "putPage" {
			lost.Add(1)
		}
	}})) + "/pages/a"
	for _, tag := range []string{`"1"`, `"v%208"`, ""} {
		var fields []string
		if tag != "" {
			fields = []string{"If-Match", tag}
		}
		if resp, _ := do(t, http.MethodPut, url, `{"text":"two"}`, fields...); resp.StatusCode != http.StatusNoContent {
			t.Error(tag, resp.StatusCode)
		}
	}
	if lost.Load() != 2 {
		t.Errorf("%d reported, want the first and the last", lost.Load())
	}
}

// Of many writers at once, each of whom reads, changes and writes, none loses what it has
// written.
func TestUpdate(t *testing.T) {
	s := &store{}
	api, err := wiki.New(client.BaseURL(serve(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	add := func(p *wiki.Page) (wiki.PutPageRequest, error) {
		return wiki.PutPageRequest{Name: "a", Body: wiki.Page{Text: p.Text + "x"}}, nil
	}
	var group sync.WaitGroup
	var failed atomic.Int32
	const writers = 5
	for range writers {
		group.Go(func() {
			if err := api.PutPageReread(t.Context(), wiki.GetPageRequest{Name: "a"}, add); err != nil {
				if !client.IsConflict(err) {
					t.Error(err)
				}
				failed.Add(1)
			}
		})
	}
	group.Wait()
	if want := writers - int(failed.Load()); len(s.text) != want || s.version != want || want == 0 {
		t.Errorf("%q after %d writes", s.text, want)
	}
	// What cannot be changed is not written.
	no := errors.New("no")
	_, err = api.PutNoteReread(t.Context(), wiki.GetNoteRequest{Name: "a"}, func(*wiki.Note) (wiki.PutNoteRequest, error) {
		return wiki.PutNoteRequest{}, no
	})
	if !errors.Is(err, no) || s.revision != 0 {
		t.Errorf("%v, written %d times", err, s.revision)
	}
	// Without the version of what was read a write is refused.
	err = api.PutPage(t.Context(), wiki.PutPageRequest{Name: "a"})
	if err == nil || client.IsConflict(err) {
		t.Error(err)
	}
	err = api.PutPage(t.Context(), wiki.PutPageRequest{Name: "a"}, client.IfMatch("v 0"))
	if !client.IsConflict(err) {
		t.Error(err)
	}
}

// Who loses every time gives up after a bounded number of readings.
func TestUpdateGivesUp(t *testing.T) {
	s := &store{}
	api, err := wiki.New(client.BaseURL(serve(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	_, err = client.Update(t.Context(), func(ctx context.Context, opts ...client.CallOption) (*wiki.Note, error) {
		reads++
		n, err := api.GetNote(ctx, wiki.GetNoteRequest{Name: "a"}, opts...)
		s.mu.Lock()
		s.revision++ // somebody else is always faster
		s.mu.Unlock()
		return n, err
	}, func(ctx context.Context, n *wiki.Note, opts ...client.CallOption) (*wiki.Note, error) {
		return api.PutNote(ctx, wiki.PutNoteRequest{Name: "a", Body: *n}, opts...)
	})
	if !client.IsConflict(err) || reads != 1+client.MaxRereads {
		t.Errorf("%v after %d readings", err, reads)
	}
}
