package client_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// stale serves one request on each connection, and ends it while the second one
// waits for its answer: what a server does whose idle timeout has come. It counts
// the requests that were cut off.
func stale(t *testing.T) (url string, cut *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	cut = new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				in := bufio.NewReader(c)
				for n := 0; ; n++ {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					if len(r.TransferEncoding) > 0 || r.ContentLength > 0 {
						t.Errorf("%s has a body: %v, %d", r.Method, r.TransferEncoding, r.ContentLength)
					}
					if n > 0 {
						cut.Add(1)
						return
					}
					_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
				}
			}()
		}
	}()
	return "http://" + l.Addr().String(), cut
}

// A GET that takes effect is not sent twice, not even by net/http.
func TestWritesAreSentOnce(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
		url, cut := stale(t)
		c := coreOf(t, &client.API{Title: "test"}, client.BaseURL(url))
		o := op(method, "/", noContent, func(s *policy.Spec) { s.Client.Effect = policy.Write })
		if _, err := call(t, c, o, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, c, o, nil); err == nil || cut.Load() != 1 {
			t.Errorf("%s: %v, cut off %d times", method, err, cut.Load())
		}
	}
}
