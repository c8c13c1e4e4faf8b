package value

import (
	"errors"
	"strconv"
	"time"
)

var (
	errDateTime = errors.New("value: not an RFC 3339 date-time")
	errDate     = errors.New("value: not an RFC 3339 full-date")
	errTime     = errors.New("value: not an RFC 3339 time")
	errLeap     = errors.New("value: a leap second is not supported")
	errYear     = errors.New("value: the year is not within 0 to 9999")
)

// ParseDateTime reads an RFC 3339 date-time, with T and Z in either case. The
// offset stays with the time; digits past the nanosecond are dropped. A leap
// second (:60) is an error: time.Time has no such moment.
func ParseDateTime(s string) (time.Time, error) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10]|0x20 != 't' {
		return time.Time{}, errDateTime
	}
	d, err := ParseDate(s[:10])
	if err != nil {
		return time.Time{}, errDateTime
	}
	t, err := ParseTime(s[11:])
	if err != nil || !t.HasOffset {
		return time.Time{}, errDateTime
	}
	if t.Second == 60 {
		return time.Time{}, errLeap
	}
	return t.On(d), nil
}

// AppendDateTime appends t as an RFC 3339 date-time with its own offset and as
// many digits of a second as it needs. A year outside 0 to 9999, or an offset
// with seconds or of 24 hours and more, is an error.
func AppendDateTime(b []byte, t time.Time) ([]byte, error) {
	if y := t.Year(); y < 0 || y > 9999 {
		return b, errYear
	}
	if _, offset := t.Zone(); offset%60 != 0 || offset <= -24*3600 || offset >= 24*3600 {
		return b, errors.New("value: the offset of the time has no RFC 3339 form")
	}
	return t.AppendFormat(b, time.RFC3339Nano), nil
}

// Date is a day of the calendar without time and zone: an RFC 3339 full-date.
// The zero Date is not a day; it is written 0000-00-00 and cannot be read.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day of t in t's location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Year: y, Month: m, Day: d}
}

// ParseDate reads a full-date, such as 2024-02-29.
func ParseDate(s string) (Date, error) {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return Date{}, errDate
	}
	y, ok1 := digits(s[:4])
	m, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:])
	d := Date{Year: y, Month: time.Month(m), Day: day}
	if !ok1 || !ok2 || !ok3 || !d.Valid() {
		return Date{}, errDate
	}
	return d, nil
}

// Valid reports whether the day exists and has a written form.
func (d Date) Valid() bool {
	return 0 <= d.Year && d.Year <= 9999 &&
		time.January <= d.Month && d.Month <= time.December &&
		1 <= d.Day && d.Day <= daysIn(d.Year, d.Month)
}

func daysIn(year int, month time.Month) int {
	switch month {
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case time.April, time.June, time.September, time.November:
		return 30
	default:
		return 31
	}
}

// IsZero reports whether d is the zero Date.
func (d Date) IsZero() bool { return d == Date{} }

// In returns the start of the day in loc.
func (d Date) In(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
}

// Compare returns -1, 0 or 1 as d is before, on or after e.
func (d Date) Compare(e Date) int {
	if c := compare(int64(d.Year), int64(e.Year)); c != 0 {
		return c
	}
	if c := compare(int64(d.Month), int64(e.Month)); c != 0 {
		return c
	}
	return compare(int64(d.Day), int64(e.Day))
}

// String returns the full-date.
func (d Date) String() string { return string(d.format(nil)) }

func (d Date) format(b []byte) []byte {
	b = appendDigits(b, d.Year, 4)
	b = appendDigits(append(b, '-'), int(d.Month), 2)
	return appendDigits(append(b, '-'), d.Day, 2)
}

// AppendText appends the full-date; a day that does not exist is an error.
func (d Date) AppendText(b []byte) ([]byte, error) {
	if !d.Valid() {
		return b, errDate
	}
	return d.format(b), nil
}

// MarshalText returns what AppendText appends.
func (d Date) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText reads a full-date.
func (d *Date) UnmarshalText(b []byte) error {
	v, err := ParseDate(string(b))
	if err == nil {
		*d = v
	}
	return err
}

// digits reads a number of digits only.
func digits(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// appendDigits appends n, which is not negative, with at least width digits.
func appendDigits(b []byte, n, width int) []byte {
	n = max(n, 0)
	for limit := pow10(width - 1); limit > max(n, 1); limit /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(n), 10)
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}
