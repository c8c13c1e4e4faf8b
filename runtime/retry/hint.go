package retry

import (
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// maxHint is where a hint stops to make sense: what is longer than a year is a
// mistake and ignored, as are negative and malformed ones.
const maxHint = 365 * 24 * time.Hour

// HintOf is how long a server wants the caller to stay away, counted from now.
// It knows retry-after-ms, Retry-After in seconds and in the three forms of HTTP
// dates, the hints that the policy names, and the t of a RateLimit field whose
// limit is used up. Several hints that hold at once are all obeyed: the longest
// counts; retry-after-ms is but the exact form of Retry-After and takes its
// place, and RateLimit is asked only where nothing else is there.
func HintOf(p *policy.Retry, o Observation, now time.Time) (time.Duration, bool) {
	if o.Header == nil {
		return 0, false
	}
	hint, found := builtIn(o.Header, now)
	for i := range p.Hints {
		if d, ok := custom(&p.Hints[i], o, now); ok {
			hint, found = max(hint, d), true
		}
	}
	if found {
		return hint, true
	}
	return rateLimitReset(o.Header.Get("RateLimit"))
}

func builtIn(h Header, now time.Time) (time.Duration, bool) {
	if d, ok := parseNumber(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	value := h.Get("Retry-After")
	if d, ok := parseNumber(value, time.Second); ok {
		return d, true
	}
	return untilDate(value, h, now)
}

// custom reads a hint that the policy names.
func custom(r *policy.RetryHint, o Observation, now time.Time) (time.Duration, bool) {
	if !headersMatch(r.When, o.Header) {
		return 0, false
	}
	text := ""
	if r.Header != "" {
		text = o.Header.Get(r.Header)
	} else if value, ok := bodyText(o.Body, r.Pointer); ok {
		text = value
	}
	return parseHint(text, r.As, o.Header, now)
}

// parseHint reads a wait in one of the forms of the language.
func parseHint(text string, as policy.HintUnit, h Header, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	switch as {
	case policy.HintMillis:
		return parseNumber(text, time.Millisecond)
	case policy.HintEpoch:
		return untilEpoch(text, now)
	case policy.HintDuration:
		d, err := time.ParseDuration(text)
		return d, err == nil && plausible(d)
	case policy.HintDate:
		return untilDate(text, h, now)
	default:
		return parseNumber(text, time.Second)
	}
}

func plausible(d time.Duration) bool { return d >= 0 && d <= maxHint }

// parseNumber reads a decimal number of units, with a fraction or without.
func parseNumber(text string, unit time.Duration) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	// ParseFloat would take signs, exponents, hexadecimals and words as well.
	if strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n > float64(maxHint/unit) {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}

// untilEpoch reads seconds since 1970. Services send milliseconds there as well;
// those are a plausible moment only as such.
func untilEpoch(text string, now time.Time) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e15 {
		return 0, false
	}
	if n > 1e11 {
		n /= 1000
	}
	whole := int64(n)
	d := time.Unix(whole, int64((n-float64(whole))*1e9)).Sub(now)
	return d, plausible(d)
}

// dateForms are the three of RFC 9110 (the second in its full and its obsolete
// spelling of the zone) and RFC 3339.
var dateForms = [...]string{
	"Mon, 02 Jan 2006 15:04:05 GMT",
	"Monday, 02-Jan-06 15:04:05 GMT",
	"Mon Jan _2 15:04:05 2006",
	time.RFC3339,
}

func parseDate(text string) (time.Time, bool) {
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// untilDate is the time to a date. It is counted from the server's own Date
// where it sent one, so that a clock that is wrong on one side does no harm.
func untilDate(text string, h Header, now time.Time) (time.Duration, bool) {
	t, ok := parseDate(text)
	if !ok {
		return 0, false
	}
	if server, ok := parseDate(h.Get("Date")); ok {
		now = server
	}
	d := t.Sub(now)
	return d, plausible(d)
}

// rateLimitReset is the longest t among the limits of a RateLimit field that
// have r=0:
//
//	RateLimit: "burst";r=0;t=5, "daily";r=40;t=3600
//
// A limit that has something left did not cause the refusal.
func rateLimitReset(field string) (time.Duration, bool) {
	reset, found := time.Duration(0), false
	for field != "" {
		var item string
		item, field = cut(field, ',')
		name := true
		empty, t, known := false, time.Duration(0), false
		for item != "" {
			var param string
			param, item = cut(item, ';')
			key, value, _ := strings.Cut(strings.TrimSpace(param), "=")
			switch {
			case name:
				name = false
			case key == "r":
				empty = value == "0"
			case key == "t":
				t, known = parseNumber(value, time.Second)
			}
		}
		if empty && known {
			reset, found = max(reset, t), true
		}
	}
	return reset, found
}

// cut splits at the first separator that is not inside a quoted string.
func cut(s string, sep byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
