//go:build !linux

package pgtest

import "errors"

var errOther = errors.New("it is started on Linux only")

// Server is a PostgreSQL server of its own.
type Server struct{}

// Start is for Linux only.
func Start() (*Server, error) { return nil, errOther }

// URL is the server's address.
func (*Server) URL() string { return "" }

// Crash ends the server and starts it again.
func (*Server) Crash() error { return errOther }

// Stop ends the server.
func (*Server) Stop() {}

func start() (url string, stop func(), err error) {
	return "", nil, errOther
}

func installed() error { return errOther }
