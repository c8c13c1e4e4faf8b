package value

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

var errDuration = errors.New("value: not an ISO 8601 duration")

// Duration is an ISO 8601 duration of RFC 3339, appendix A, kept as written:
// P1Y2M3DT4H5M6.5S, P4W. Months and years have no fixed length, so it is not a
// time.Duration; Exact converts where it can. The zero Duration is PT0S. Two
// Durations are == when they are written alike.
type Duration struct{ text string }

// ParseDuration reads a duration. A sign in front of P, and a fraction (with a
// point or a comma) of the last number, are accepted as ISO 8601 has them;
// units must stand in order, and weeks alone.
func ParseDuration(s string) (Duration, error) {
	if _, ok := scanDuration(s); !ok {
		return Duration{}, errDuration
	}
	return Duration{text: s}, nil
}

// DurationOf returns d in hours, minutes and seconds.
func DurationOf(d time.Duration) Duration {
	if d == 0 {
		return Duration{}
	}
	var b strings.Builder
	rest := uint64(d)
	if d < 0 {
		b.WriteByte('-')
		rest = -rest
	}
	b.WriteString("PT")
	for _, unit := range []struct {
		length uint64
		letter byte
	}{{uint64(time.Hour), 'H'}, {uint64(time.Minute), 'M'}} {
		if n := rest / unit.length; n > 0 {
			b.WriteString(strconv.FormatUint(n, 10))
			b.WriteByte(unit.letter)
			rest %= unit.length
		}
	}
	if rest > 0 {
		second := uint64(time.Second)
		b.WriteString(strconv.FormatUint(rest/second, 10))
		if nanos := rest % second; nanos > 0 {
			b.WriteByte('.')
			b.WriteString(strings.TrimRight(strconv.FormatUint(second+nanos, 10)[1:], "0"))
		}
		b.WriteByte('S')
	}
	return Duration{text: b.String()}
}

// Exact returns the length, and false when it depends on the calendar (years,
// months), is finer than a nanosecond, or does not fit. A day is 24 hours.
func (d Duration) Exact() (time.Duration, bool) {
	p, ok := scanDuration(d.String())
	if !ok || !p.exact {
		return 0, false
	}
	switch {
	case !p.negative && p.nanos <= 1<<63-1:
		return time.Duration(p.nanos), true
	case p.negative && p.nanos <= 1<<63:
		return -time.Duration(p.nanos), true
	}
	return 0, false
}

// IsZero reports whether d is the zero Duration, not whether it is of length 0.
func (d Duration) IsZero() bool { return d.text == "" }

// String returns the text as written.
func (d Duration) String() string {
	if d.text == "" {
		return "PT0S"
	}
	return d.text
}

// AppendText appends the text as written. The error is always nil.
func (d Duration) AppendText(b []byte) ([]byte, error) { return append(b, d.String()...), nil }

// MarshalText returns the text as written. The error is always nil.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDuration reads.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := ParseDuration(string(b))
	if err == nil {
		*d = v
	}
	return err
}

type durationParts struct {
	negative bool
	exact    bool
	nanos    uint64
}

// scanDuration walks the designators: each stands at most once, in the order
// of units, at least one is there, and one after T when there is a T.
func scanDuration(s string) (durationParts, bool) {
	p := durationParts{exact: true}
	if s != "" && (s[0] == '-' || s[0] == '+') {
		p.negative = s[0] == '-'
		s = s[1:]
	}
	if !strings.HasPrefix(s, "P") {
		return p, false
	}
	s = s[1:]
	date, clock, hasClock := strings.Cut(s, "T")
	if hasClock && clock == "" || s == "" {
		return p, false
	}
	weeks := strings.HasSuffix(date, "W")
	if weeks {
		return p, !hasClock && p.scan(date, "W", []time.Duration{7 * 24 * time.Hour}, true)
	}
	return p, p.scan(date, "YMD", []time.Duration{0, 0, 24 * time.Hour}, !hasClock) &&
		p.scan(clock, "HMS", []time.Duration{time.Hour, time.Minute, time.Second}, true)
}

// scan reads numbers with the given units; a unit of length 0 is not exact. A
// fraction is for the last number of the whole duration.
func (p *durationParts) scan(s, letters string, lengths []time.Duration, last bool) bool {
	for s != "" {
		i := 0
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		whole := s[:i]
		s = s[i:]
		fraction := ""
		if s != "" && (s[0] == '.' || s[0] == ',') {
			i = 1
			for i < len(s) && isDigit(s[i]) {
				i++
			}
			fraction, s = s[1:i], s[i:]
			if fraction == "" || !last || len(s) != 1 {
				return false
			}
		}
		if whole == "" || s == "" {
			return false
		}
		unit := strings.IndexByte(letters, s[0])
		if unit < 0 {
			return false
		}
		p.add(whole, fraction, uint64(lengths[unit]))
		letters, lengths, s = letters[unit+1:], lengths[unit+1:], s[1:]
	}
	return true
}

// add adds whole.fraction units, or gives up on an exact length.
func (p *durationParts) add(whole, fraction string, unit uint64) {
	fraction = strings.TrimRight(fraction, "0")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" && fraction == "" {
		return
	}
	n, err := strconv.ParseUint("0"+whole, 10, 64)
	if unit == 0 || err != nil {
		p.exact = false
		return
	}
	p.addNanos(bits.Mul64(n, unit))
	for i := range len(fraction) {
		if unit%10 != 0 {
			p.exact = false
			return
		}
		unit /= 10
		p.addNanos(0, uint64(fraction[i]-'0')*unit)
	}
}

func (p *durationParts) addNanos(high, low uint64) {
	sum, carry := bits.Add64(p.nanos, low, 0)
	if high != 0 || carry != 0 {
		p.exact = false
		return
	}
	p.nanos = sum
}
