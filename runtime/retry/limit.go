package retry

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Limit is what a response tells about a rate limit of the server's.
type Limit struct {
	// Bucket is the server's name for it; empty where it gives none.
	Bucket string
	// Remaining is what is left to the caller.
	Remaining int
	// Reset is the time until there is all of it again, valid where Timed is set.
	Reset time.Duration
	Timed bool
}

// LimitOf reads the headers that the policy names. It is false where they tell nothing:
// without a number of what is left, which a refusal (429) stands for where the policy
// names no header for it, or with one that makes no sense. A moment that is over is a
// reset at once.
func LimitOf(s *policy.Sync, status int, h Header, now time.Time) (Limit, bool) {
	if h == nil {
		return Limit{}, false
	}
	var l Limit
	if s.Remaining != "" {
		n, ok := count(h.Get(s.Remaining))
		if !ok {
			return Limit{}, false
		}
		l.Remaining = n
	} else if status != 429 {
		return Limit{}, false
	}
	if s.Bucket != "" {
		l.Bucket = h.Get(s.Bucket)
	}
	if s.Reset == "" {
		return l, true
	}
	text := h.Get(s.Reset)
	if l.Reset, l.Timed = parseHint(text, s.As, h, now); !l.Timed && s.As == policy.HintEpoch {
		l.Reset, l.Timed = 0, past(text, now)
	}
	return l, true
}

// count reads a number of tokens; some services write it with a fraction.
func count(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return max(0, n), true
	}
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	return int(min(n, math.MaxInt32)), true
}

// past reports whether a text is a moment before now.
func past(text string, now time.Time) bool {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return err == nil && n > 0 && n < now.Unix()+1
}
