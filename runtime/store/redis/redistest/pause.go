//go:build unix

package redistest

import (
	"syscall"
	"testing"
)

// Pause stops the process without ending it: connections stay open and nothing is
// answered.
func (s *Server) Pause(tb testing.TB) {
	tb.Helper()
	s.signal(tb, syscall.SIGSTOP)
}

// Resume lets a paused process go on.
func (s *Server) Resume(tb testing.TB) {
	tb.Helper()
	s.signal(tb, syscall.SIGCONT)
}

func (s *Server) signal(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	if err := s.process.Process.Signal(sig); err != nil {
		tb.Fatal(err)
	}
}
