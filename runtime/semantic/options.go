package semantic

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The bounds of a cache for which no option says anything else.
const (
	DefaultTTL        = 24 * time.Hour
	DefaultMaxEntries = 1000
	DefaultMaxBytes   = 64 << 20 // of answers, texts and vectors
	DefaultMaxText    = 32 << 10 // bytes; about what models of embeddings take
)

// The bounds that are always the same.
const (
	// MaxFill is the most texts that one call of Nearest embeds besides its own.
	MaxFill = 256
	// MaxDimensions is the largest embedding that is taken.
	MaxDimensions = 1 << 14
)

// Option sets something about a cache.
type Option func(*settings) error

type settings struct {
	ttl        time.Duration
	maxEntries int
	maxBytes   int64
	maxText    int
	pointers   [][]string
}

// TTL is how long an answer may be given again.
func TTL(d time.Duration) Option {
	return func(s *settings) error {
		if d <= 0 {
			return fmt.Errorf("the TTL is %v, and must be above zero", d)
		}
		s.ttl = d
		return nil
	}
}

// MaxEntries is how many answers are kept; after that each new one takes the place of
// the one that was not used for longest.
func MaxEntries(n int) Option {
	return func(s *settings) error {
		if n <= 0 {
			return fmt.Errorf("MaxEntries is %d, and must be above zero", n)
		}
		s.maxEntries = n
		return nil
	}
}

// MaxBytes bounds the memory of answers, texts and vectors. An answer that takes more
// than an eighth of it is not kept.
func MaxBytes(n int64) Option {
	return func(s *settings) error {
		if n <= 0 {
			return fmt.Errorf("MaxBytes is %d, and must be above zero", n)
		}
		s.maxBytes = n
		return nil
	}
}

// MaxText is the longest text, in bytes, that is compared. The answers to longer ones are
// not kept: cut off, two texts that begin alike would be taken for the same.
func MaxText(n int) Option {
	return func(s *settings) error {
		if n <= 0 {
			return fmt.Errorf("MaxText is %d, and must be above zero", n)
		}
		s.maxText = n
		return nil
	}
}

// Pointers are the JSON pointers (RFC 6901) of a body's text, in place of /messages,
// /prompt and /input. None at all makes the whole body the text.
func Pointers(pointers ...string) Option {
	return func(s *settings) error {
		s.pointers = nil
		for _, p := range pointers {
			steps, err := parsePointer(p)
			if err != nil {
				return err
			}
			s.pointers = append(s.pointers, steps)
		}
		return nil
	}
}

var errPointer = errors.New("a JSON pointer begins with a slash, and has ~ only as ~0 or ~1")

// parsePointer takes a pointer apart. That of the whole document is no pointer to a part.
func parsePointer(p string) ([]string, error) {
	if !strings.HasPrefix(p, "/") {
		return nil, fmt.Errorf("%q: %w", p, errPointer)
	}
	steps := strings.Split(p[1:], "/")
	for i, step := range steps {
		plain := strings.ReplaceAll(strings.ReplaceAll(step, "~0", ""), "~1", "")
		if strings.Contains(plain, "~") {
			return nil, fmt.Errorf("%q: %w", p, errPointer)
		}
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps, nil
}
