package client

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/pipeline"
)

// CallOption sets something about one call. A nil CallOption is ignored. An
// option that makes no sense fails the call before anything is sent.
type CallOption func(*callSettings)

// callSettings is what the options fill in.
type callSettings struct {
	options pipeline.Options
	key     string
	hasKey  bool
	header  http.Header
	meta    *Meta
	// What the caller does not want of the policy's fallback and cache.
	noFallback bool
	noCache    bool
	refresh    bool
	target     string
	err        error
}

func (s *callSettings) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Within bounds the whole call with its tries and waits, and the reading of a
// stream, in place of the policy's total timeout.
func Within(d time.Duration) CallOption {
	return func(s *callSettings) {
		if d <= 0 {
			s.fail(fmt.Errorf("Within has to be above zero, is %v", d))
		}
		s.options.Within = d
	}
}

// PerTry bounds each try, in place of the policy's attempt timeout.
func PerTry(d time.Duration) CallOption {
	return func(s *callSettings) {
		if d <= 0 {
			s.fail(fmt.Errorf("PerTry has to be above zero, is %v", d))
		}
		s.options.PerTry = d
	}
}

// Tries is the number of tries in all, from 1 to 10, in place of the policy's.
// It does nothing where the policy has no retry.
func Tries(n int) CallOption {
	return func(s *callSettings) {
		if n < 1 || n > 10 {
			s.fail(fmt.Errorf("Tries has to be from 1 to 10, is %d", n))
		}
		s.options.Tries = n
	}
}

// NoRetry makes the call one try, whose stream does not go on where it breaks. Package
// net/http may still send that try again by itself, see [Meta].
func NoRetry() CallOption { return func(s *callSettings) { s.options.NoRetry = true } }

// NoFallback takes the failure of the call itself: no rung of the policy's fallback
// answers in its place. It does nothing where the policy has none.
func NoFallback() CallOption {
	return func(s *callSettings) { s.noFallback, s.options.NoFallback = true, true }
}

// NoCache makes the call as if the policy had no cache: nothing is answered from it, and
// nothing is kept. It does nothing where the policy has none.
func NoCache() CallOption { return func(s *callSettings) { s.noCache = true } }

// Refresh asks the service even if the policy's cache has a fresh answer, and keeps the
// new one. It does nothing where the policy has no cache; NoCache takes its place.
func Refresh() CallOption { return func(s *callSettings) { s.refresh = true } }

// IdempotencyKey is the key of the call, in place of any other: the server gives
// two calls with one key one effect. It is an error for an operation whose
// policy has no idempotency.
func IdempotencyKey(key string) CallOption {
	return func(s *callSettings) { s.key, s.hasKey = key, true }
}

// CallHeader sets a header for this call, in place of any other of its name.
func CallHeader(name, value string) CallOption {
	return func(s *callSettings) {
		if err := checkField(name, value); err != nil {
			s.fail(err)
			return
		}
		if s.header == nil {
			s.header = make(http.Header)
		}
		s.header.Add(name, value)
	}
}

// Into fills m when the call has ended, whatever came of it. For a stream that
// is when its header has arrived. Nil is ignored.
func Into(m *Meta) CallOption {
	return func(s *callSettings) {
		if m != nil {
			s.meta = m
		}
	}
}

// At sends the call to this address, in place of the client's and of the
// operation's path; parameters of the query are added to it. It is how a
// webhook or callback gets its receiver.
func At(url string) CallOption {
	return func(s *callSettings) {
		if url == "" {
			s.fail(errors.New("the address of the call is empty"))
		}
		s.target = url
	}
}
