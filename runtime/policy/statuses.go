package policy

import (
	"strconv"
	"strings"
)

// Statuses is a set of HTTP statuses from 100 to 599 in 64 bytes. The zero
// value is empty. It is a value: methods give a new set, and == compares.
type Statuses [8]uint64

// StatusSet is the set of these statuses. Numbers outside 100 to 599 are not
// HTTP statuses and are left out.
func StatusSet(codes ...int) Statuses {
	var s Statuses
	for _, code := range codes {
		if i, ok := statusBit(code); ok {
			s[i>>6] |= 1 << (i & 63)
		}
	}
	return s
}

// Range is s with the statuses from low to high, both included: 5xx is
// Range(500, 599).
func (s Statuses) Range(low, high int) Statuses {
	for code := max(low, 100); code <= min(high, 599); code++ {
		i, _ := statusBit(code)
		s[i>>6] |= 1 << (i & 63)
	}
	return s
}

// Has reports whether a status is in the set.
func (s Statuses) Has(code int) bool {
	i, ok := statusBit(code)
	return ok && s[i>>6]&(1<<(i&63)) != 0
}

// IsZero reports whether the set is empty.
func (s Statuses) IsZero() bool { return s == Statuses{} }

// Span is a run of statuses, both ends included.
type Span struct{ Low, High int }

// Spans is the set in ascending order with neighbours joined, the form to
// write it as source: StatusSet for the single ones, Range for the rest.
func (s Statuses) Spans() []Span {
	var spans []Span
	for code := 100; code <= 599; code++ {
		if !s.Has(code) {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].High == code-1 {
			spans[n-1].High = code
			continue
		}
		spans = append(spans, Span{code, code})
	}
	return spans
}

// String lists the set for people: "408, 425, 429, 5xx".
func (s Statuses) String() string {
	var b strings.Builder
	for code := 100; code <= 599; code++ {
		if !s.Has(code) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if code%100 == 0 && s.hasClass(code) {
			b.WriteString(strconv.Itoa(code / 100))
			b.WriteString("xx")
			code += 99
			continue
		}
		b.WriteString(strconv.Itoa(code))
	}
	return b.String()
}

// hasClass reports whether all hundred statuses from first on are in the set.
func (s Statuses) hasClass(first int) bool {
	for code := first; code < first+100; code++ {
		if !s.Has(code) {
			return false
		}
	}
	return true
}

// statusBit is the position of a status in the set.
func statusBit(code int) (uint, bool) {
	if code < 100 || code > 599 {
		return 0, false
	}
	return uint(code - 100), true
}
