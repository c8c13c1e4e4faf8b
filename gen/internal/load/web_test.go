package load

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// fakeWeb answers requests from a map of URL to text, without a network. A text
// that starts with "-> " redirects.
type fakeWeb struct {
	t     *testing.T
	pages map[string]string
	calls atomic.Int32
}

func (w *fakeWeb) client() *http.Client { return &http.Client{Transport: w} }

func (w *fakeWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	w.calls.Add(1)
	text, ok := w.pages[req.URL.String()]
	if w.pages == nil {
		w.t.Errorf("unexpected request of %s", req.URL)
		return nil, errors.New("no network here")
	}
	resp := &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Header: http.Header{}, Request: req, ContentLength: -1}
	if target, redirect := strings.CutPrefix(text, "-> "); redirect {
		resp.StatusCode, resp.Status = http.StatusFound, "302 Found"
		resp.Header.Set("Location", target)
	}
	if !ok {
		resp.StatusCode, resp.Status = http.StatusNotFound, "404 Not Found"
	}
	resp.Body = io.NopCloser(strings.NewReader(text))
	if text == "hang" {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return resp, nil
}
