package server

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A caller that falls silent in its body gets its answer, and its connection ends.
func TestSilentBodyIsAnswered(t *testing.T) {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{w: w, r: r}
		_ = x.control().SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := appendAll(nil, r.Body, -1)
		_ = x.control().SetReadDeadline(time.Time{})
		s := &Request{http: r}
		s.body.x = x
		s.readError(err)
		w.WriteHeader(http.StatusRequestTimeout)
	}))
	defer ts.Close()
	c, err := net.Dial("tcp", ts.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	_, _ = fmt.Fprint(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n{")
	head := make([]byte, 12)
	if _, err := c.Read(head); err != nil || string(head) != "HTTP/1.1 408" {
		t.Errorf("got %q, %v", head, err)
	}
}
