package value

import "time"

// Time is a time of day: an RFC 3339 partial-time, or a full-time when
// HasOffset. Second goes up to 60 for a leap second. The zero Time is midnight
// without an offset.
type Time struct {
	Hour, Minute, Second int
	Nanosecond           int
	HasOffset            bool
	Offset               int // minutes east of UTC
}

// ParseTime reads a partial-time (12:30:00.5) or a full-time (12:30:00Z,
// 12:30:00+02:00). Digits past the nanosecond are dropped.
func ParseTime(s string) (Time, error) {
	if len(s) < len("15:04:05") || s[2] != ':' || s[5] != ':' {
		return Time{}, errTime
	}
	var t Time
	var ok1, ok2, ok3 bool
	t.Hour, ok1 = digits(s[:2])
	t.Minute, ok2 = digits(s[3:5])
	t.Second, ok3 = digits(s[6:8])
	s = s[8:]
	if s != "" && s[0] == '.' {
		end := 1
		for scale := 100_000_000; end < len(s) && isDigit(s[end]); end++ {
			t.Nanosecond += int(s[end]-'0') * scale
			scale /= 10
		}
		if end == 1 {
			return Time{}, errTime
		}
		s = s[end:]
	}
	ok := ok1 && ok2 && ok3 && t.parseOffset(s) && t.Valid()
	if !ok {
		return Time{}, errTime
	}
	return t, nil
}

func (t *Time) parseOffset(s string) bool {
	switch {
	case s == "":
		return true
	case s == "Z", s == "z":
		t.HasOffset = true
		return true
	case len(s) != len("+02:00"), s[0] != '+' && s[0] != '-', s[3] != ':':
		return false
	}
	h, ok1 := digits(s[1:3])
	m, ok2 := digits(s[4:6])
	if !ok1 || !ok2 || h > 23 || m > 59 {
		return false
	}
	t.HasOffset, t.Offset = true, h*60+m
	if s[0] == '-' {
		t.Offset = -t.Offset
	}
	return true
}

// Valid reports whether the fields are a time of day. Second 60 is one only at
// the end of a day of UTC, or where no offset tells.
func (t Time) Valid() bool {
	ok := 0 <= t.Hour && t.Hour <= 23 && 0 <= t.Minute && t.Minute <= 59 &&
		0 <= t.Second && t.Second <= 60 && 0 <= t.Nanosecond && t.Nanosecond < 1e9 &&
		-24*60 < t.Offset && t.Offset < 24*60
	if ok && t.Second == 60 && t.HasOffset {
		const day = 24 * 60
		return ((t.Hour*60+t.Minute-t.Offset)%day+day)%day == day-1
	}
	return ok
}

// On returns the moment of t on the day d, in t's offset or, without one, UTC.
func (t Time) On(d Date) time.Time {
	loc := time.UTC
	if t.Offset != 0 {
		loc = time.FixedZone("", t.Offset*60)
	}
	return time.Date(d.Year, d.Month, d.Day, t.Hour, t.Minute, t.Second, t.Nanosecond, loc)
}

// String returns the time as RFC 3339 has it, without zeros at the end of the
// fraction.
func (t Time) String() string { return string(t.format(nil)) }

func (t Time) format(b []byte) []byte {
	b = appendDigits(b, t.Hour, 2)
	b = appendDigits(append(b, ':'), t.Minute, 2)
	b = appendDigits(append(b, ':'), t.Second, 2)
	if t.Nanosecond != 0 {
		b = appendDigits(append(b, '.'), t.Nanosecond, 9)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	switch {
	case !t.HasOffset:
		return b
	case t.Offset == 0:
		return append(b, 'Z')
	}
	sign, offset := byte('+'), t.Offset
	if offset < 0 {
		sign, offset = '-', -offset
	}
	b = appendDigits(append(b, sign), offset/60, 2)
	return appendDigits(append(b, ':'), offset%60, 2)
}

// AppendText appends what String returns; fields that are no time of day are an
// error.
func (t Time) AppendText(b []byte) ([]byte, error) {
	if !t.Valid() {
		return b, errTime
	}
	return t.format(b), nil
}

// MarshalText returns what AppendText appends.
func (t Time) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalText reads a partial-time or a full-time.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := ParseTime(string(b))
	if err == nil {
		*t = v
	}
	return err
}
