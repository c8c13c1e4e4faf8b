package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/server"
)

// A client that is still sending when a method answers gets all of the answer and an
// orderly end: bytes that nobody reads do not make the connection be reset at once.
func TestAnswerBeforeTheEndOfTheBody(t *testing.T) {
	type request struct{ body io.Reader }
	upload := func(f func(request) error) server.Route {
		return take("POST", "/", []string{"text/plain"}, func(r *request, s *server.Request) { s.Binary(&r.body, true) }, f)
	}
	for _, test := range []struct {
		name   string
		f      func(request) error
		status int
	}{
		{"unread", func(request) error { return nil }, 204},
		{"begun", func(r request) error { _, err := io.ReadFull(r.body, make([]byte, 1)); return err }, 204},
		{"too large", func(r request) error { _, err := io.Copy(io.Discard, r.body); return err }, 413},
		{"failed", func(request) error { return errors.New("no") }, 500},
	} {
		s := start(t, []server.Route{upload(test.f)}, server.StreamLimit(100), new(failures).option())
		var dialer net.Dialer
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		chunk := fmt.Sprintf("%x\r\n%s\r\n", 200, strings.Repeat("x", 200))
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk)
		if err != nil {
			t.Fatal(err)
		}
		// No more comes for longer than the server waits; only then does the client
		// go on, which a closed connection answers with a reset.
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		defer res.Body.Close()
		_, writeErr := io.WriteString(conn, strings.Repeat(chunk, 10))
		if res.StatusCode != test.status || !res.Close {
			t.Errorf("%s: %s, close %v; want %d", test.name, res.Status, res.Close, test.status)
		}
		_, bodyErr := io.Copy(io.Discard, res.Body)
		_, endErr := in.ReadByte()
		if writeErr != nil || bodyErr != nil || endErr != io.EOF {
			t.Errorf("%s: writing %v, reading %v, end %v", test.name, writeErr, bodyErr, endErr)
		}
	}
}

// Many clients at once do the same.
func TestAnswersUnderWayAreNotLost(t *testing.T) {
	type request struct{ body io.Reader }
	s := start(t, []server.Route{take("POST", "/", []string{"text/plain"},
		func(r *request, s *server.Request) { s.Binary(&r.body, true) }, func(request) error { return nil })})
	ended := make(chan error)
	const clients = 8
	for range clients {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/", io.LimitReader(endless{}, 4<<20))
			if err == nil {
				req.Header.Set("Content-Type", "text/plain")
				var res *http.Response
				if res, err = http.DefaultTransport.RoundTrip(req); err == nil {
					err = res.Body.Close()
				}
			}
			ended <- err
		}()
	}
	for range clients {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// endless is a slow reader of letters.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	n := min(len(p), 1000)
	for i := range p[:n] {
		p[i] = 'x'
	}
	return n, nil
}
