package shelf_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/shelf"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// library has one book.
type library struct{ title string }

func (l *library) GetBook(_ context.Context, r shelf.GetBookRequest) (*shelf.Book, error) {
	if r.ID != "b1" {
		return nil, &fault.Problem{Status: http.StatusNotFound, Title: "there is no such book"}
	}
	return &shelf.Book{ID: r.ID, Title: l.title}, nil
}

func (l *library) PutBook(_ context.Context, r shelf.PutBookRequest) error {
	l.title = r.Body.Title
	return nil
}

func (*library) ListLoans(context.Context) (shelf.ListLoansResult, error) {
	return &shelf.ListLoansOKJSON{Body: []shelf.Book{{ID: "b1", Title: "Walden"}}}, nil
}

func (*library) GetCover(context.Context, shelf.GetCoverRequest) (*shelf.GetCoverResponse, error) {
	return &shelf.GetCoverResponse{
		ETag: value.Some(`"v9"`), LastModified: value.Some("Sun, 06 Nov 1994 08:49:37 GMT"), Body: io.NopCloser(strings.NewReader("picture")),
	}, nil
}

func serve(t *testing.T) (url string) {
	t.Helper()
	s := httptest.NewServer(shelf.NewHandler(&library{title: "Walden"}, server.Authenticate(
		func(context.Context, *server.Credentials) (server.Principal, error) {
			return server.Principal{ID: "ann"}, nil
		})))
	t.Cleanup(s.Close)
	return s.URL
}

// do sends one request. Fields are names and values in turn.
func do(t *testing.T, method, url, body string, fields ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer ann")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// has compares header fields, which stand as names and values in turn.
func has(t *testing.T, resp *http.Response, status int, fields ...string) {
	t.Helper()
	if resp.StatusCode != status {
		t.Errorf("%s got %d, want %d", resp.Request.URL.Path, resp.StatusCode, status)
	}
	for i := 0; i < len(fields); i += 2 {
		if got := strings.Join(resp.Header[fields[i]], "|"); got != fields[i+1] {
			t.Errorf("%s %d: %s: %s, want %s", resp.Request.URL.Path, resp.StatusCode, fields[i], got, fields[i+1])
		}
	}
}

// Everything that the document says about an answer is in its header, and a caller that
// has it already is told so.
func TestPublicAnswer(t *testing.T) {
	url := serve(t) + "/books/b1"
	const control = "public, max-age=60, s-maxage=120, stale-while-revalidate=30, stale-if-error=3600"
	said := []string{
		"Cache-Control", control, "Cdn-Cache-Control", "public, max-age=3600", "Vary", "Accept-Language",
		"Cache-Tag", "books,book-b1", "Surrogate-Key", "books book-b1",
	}
	resp, _ := do(t, http.MethodGet, url, "")
	has(t, resp, http.StatusOK, said...)
	tag := resp.Header.Get("ETag")
	if tag == "" || strings.HasPrefix(tag, "W/") {
		t.Fatalf("the tag is %q", tag)
	}
	resp, body := do(t, http.MethodGet, url, "", "If-None-Match", `"other", W/`+tag)
	has(t, resp, http.StatusNotModified, append(said, "Etag", tag, "Content-Type", "", "Content-Length", "")...)
	if body != "" {
		t.Errorf("304 with %q", body)
	}
	resp, _ = do(t, http.MethodPut, url, `{"id":"b1","title":"Emma"}`)
	has(t, resp, http.StatusNoContent, "Cache-Control", "no-store", "Etag", "")
	resp, body = do(t, http.MethodGet, url, "", "If-None-Match", tag)
	has(t, resp, http.StatusOK, said...)
	if !strings.Contains(body, "Emma") || resp.Header.Get("ETag") == tag {
		t.Error("another content has the old tag")
	}
	resp, _ = do(t, http.MethodGet, url, "", "If-None-Match", "*")
	has(t, resp, http.StatusNotModified)
}

// What went wrong is not kept.
func TestFailuresAreNotKept(t *testing.T) {
	resp, _ := do(t, http.MethodGet, serve(t)+"/books/b2", "")
	has(t, resp, http.StatusNotFound, "Cache-Control", "no-store", "Cdn-Cache-Control", "", "Cache-Tag", "", "Etag", "")
}

func TestPersonalAnswer(t *testing.T) {
	url := serve(t) + "/loans"
	resp, _ := do(t, http.MethodGet, url, "")
	has(t, resp, http.StatusOK, "Cache-Control", "private, no-cache", "Vary", "Cookie, Authorization, Accept", "Cdn-Cache-Control", "")
	if resp.Header.Get("ETag") == "" {
		t.Error("there is nothing to ask again by")
	}
}

// The tag and the date of the method count.
func TestOwnValidators(t *testing.T) {
	url := serve(t) + "/covers/1"
	resp, body := do(t, http.MethodGet, url, "")
	has(t, resp, http.StatusOK, "Cache-Control", "public, max-age=31536000, immutable", "Etag", `"v9"`)
	if body != "picture" {
		t.Error(body)
	}
	for _, c := range []struct {
		field, value string
		status       int
	}{
		{"If-None-Match", `"v9"`, http.StatusNotModified},
		{"If-None-Match", `"v8"`, http.StatusOK},
		{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT", http.StatusNotModified},
		{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT", http.StatusOK},
		{"If-Modified-Since", "yesterday", http.StatusOK},
	} {
		resp, _ := do(t, http.MethodGet, url, "", c.field, c.value)
		has(t, resp, c.status)
	}
	// A tag that is another counts, whatever the date says.
	resp, _ = do(t, http.MethodGet, url, "", "If-None-Match", `"v8"`, "If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")
	has(t, resp, http.StatusOK)
}
