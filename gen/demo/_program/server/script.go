package main

import (
	"net"
	"net/http"
	"sync"
	"time"

	"demo/play"
)

// script does to each request what the first fault of its list says.
type script struct {
	next http.Handler

	mu     sync.Mutex
	faults []play.Fault
}

func (s *script) set(faults []play.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults
}

// take removes the first fault; false when there is none.
func (s *script) take() (play.Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return play.Fault{}, false
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return f, true
}

// ServeHTTP lets the fault happen.
func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := s.take()
	if !ok {
		s.next.ServeHTTP(w, r)
		return
	}
	switch f.Kind {
	case play.Slow:
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			s.next.ServeHTTP(w, r)
		case <-r.Context().Done(): // nobody waits any more
		}
	case play.Busy:
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"type":"about:blank","title":"Service Unavailable","status":503}`))
	case play.Reset:
		cut(w)
	case play.Lost:
		s.next.ServeHTTP(&unheard{header: http.Header{}}, r)
		cut(w)
	default:
		s.next.ServeHTTP(w, r)
	}
}

// cut resets the connection: the other side gets an error, no answer.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the connection ends without an answer all the same
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// unheard takes an answer that nobody will get.
type unheard struct{ header http.Header }

func (u *unheard) Header() http.Header         { return u.header }
func (u *unheard) WriteHeader(int)             {}
func (u *unheard) Write(p []byte) (int, error) { return len(p), nil }

// Flush does nothing: there is nobody to send to.
func (u *unheard) Flush() {}
