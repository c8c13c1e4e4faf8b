package sample

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/check"
)

// scalar makes a scalar that the constraints allow.
func (m *maker) scalar(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	switch t.Scalar {
	case ir.Bool:
		text := "true"
		if h.n%2 == 1 {
			text = "false"
		}
		return &ir.Value{Kind: ir.BoolValue, Text: text}
	case ir.String:
		return m.text(t, checks, h)
	case ir.Bytes:
		return str(base64.StdEncoding.EncodeToString([]byte(h.text())))
	}
	if isNumber(t.Scalar) {
		return m.number(t.Scalar, checks, h.n)
	}
	return m.formatted(t, checks, h)
}

// formatted makes a text that is kept as a type of its own. Constraints of texts are
// not checked on those.
func (m *maker) formatted(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	v := str(ofScalar(t.Scalar, h.n))
	if m.check.typ(t, checks, v, 0) {
		return v
	}
	return nil
}

// ofScalar is the n-th text of a scalar that has a form of its own. Addresses and
// names are those that are reserved for documentation.
func ofScalar(s ir.Scalar, n int) string {
	switch s {
	case ir.DateTime:
		return fmt.Sprintf("2026-03-14T09:%02d:%02dZ", n/60%60, n%60)
	case ir.Date:
		return fmt.Sprintf("2026-%02d-%02d", n/28%12+1, n%28+1)
	case ir.Time:
		return fmt.Sprintf("09:%02d:%02dZ", n/60%60, n%60)
	case ir.Duration:
		return fmt.Sprintf("PT%dM", n+1)
	case ir.UUID:
		return fmt.Sprintf("018f3c7e-5a10-7c3a-9b1e-%012x", n+1)
	case ir.IPv6:
		return fmt.Sprintf("2001:db8::%x", n%0xffff+1)
	case ir.IPv4, ir.IP:
		return fmt.Sprintf("192.0.2.%d", n%254+1)
	}
	return ""
}

// ofFormat is the n-th text of a format that is checked; empty for any other.
func ofFormat(format string, h hint) string {
	f, ok := check.ParseFormat(format)
	if !ok {
		return ""
	}
	n := h.n + 1
	switch f {
	case check.FormatDateTime:
		return ofScalar(ir.DateTime, h.n)
	case check.FormatDate:
		return ofScalar(ir.Date, h.n)
	case check.FormatTime:
		return ofScalar(ir.Time, h.n)
	case check.FormatDuration:
		return ofScalar(ir.Duration, h.n)
	case check.FormatUUID:
		return ofScalar(ir.UUID, h.n)
	case check.FormatIPv4, check.FormatIP:
		return ofScalar(ir.IPv4, h.n)
	case check.FormatIPv6:
		return ofScalar(ir.IPv6, h.n)
	case check.FormatEmail:
		return fmt.Sprintf("ada%d@example.com", n)
	case check.FormatHostname:
		return fmt.Sprintf("host%d.example.com", n)
	case check.FormatURI:
		return fmt.Sprintf("https://example.com/%s/%d", h.name, n)
	case check.FormatURIReference, check.FormatJSONPointer:
		return fmt.Sprintf("/%s/%d", h.name, n)
	case check.FormatURITemplate:
		return fmt.Sprintf("/%s/%d/{id}", h.name, n)
	case check.FormatRelativeJSONPointer:
		return fmt.Sprintf("%d/%s", h.n, h.name)
	case check.FormatRegex:
		return fmt.Sprintf("^%s%d$", h.name, n)
	case check.FormatByte:
		return base64.StdEncoding.EncodeToString([]byte(h.text()))
	}
	return ""
}

// textBounds are the constraints of a text.
type textBounds struct {
	least, most int64 // most below 0: none
	patterns    []string
	format      string
}

func textBoundsOf(t *ir.Type, checks []*ir.Checks) textBounds {
	b := textBounds{most: -1, format: t.Format}
	for _, c := range checks {
		if c.MinLength != nil {
			b.least = max(b.least, *c.MinLength)
		}
		if c.MaxLength != nil && (b.most < 0 || *c.MaxLength < b.most) {
			b.most = *c.MaxLength
		}
		for _, p := range c.Pattern {
			if _, err := check.Compile(p); err == nil { // others are not checked either
				b.patterns = append(b.patterns, p)
			}
		}
		if c.Format != "" {
			b.format = c.Format
		}
	}
	return b
}

// text makes a text: plain, of a format, or one that patterns match, in that order, and
// stretched or cut to the length that is asked for.
func (m *maker) text(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	b := textBoundsOf(t, checks)
	if b.least > maxText {
		return nil
	}
	if m.param {
		b.least = max(b.least, 1)
	}
	good := func(s string) bool {
		n := int64(utf8.RuneCountInString(s))
		return n >= b.least && (b.most < 0 || n <= b.most) && m.check.typ(t, checks, str(s), 0)
	}
	for _, s := range m.drafts(b, h) {
		for _, sized := range b.sizes(s, h) {
			if good(sized) {
				return str(sized)
			}
		}
	}
	if len(b.patterns) > 0 {
		if s, ok := matching(b.patterns, h.n, good, "a"); ok {
			return str(s)
		}
	}
	return nil
}

// drafts are texts to begin with, the most telling first.
func (m *maker) drafts(b textBounds, h hint) []string {
	if s := ofFormat(b.format, h); s != "" {
		return []string{s}
	}
	if len(b.patterns) > 0 {
		// Tried before a text is made letter by letter: names and codes read better.
		return []string{h.text(), h.name, strconv.Itoa(h.n + 1)}
	}
	return []string{h.text(), strconv.Itoa(h.n + 1)}
}

// sizes are a draft as it is, cut, and stretched to the length that is wanted.
func (b textBounds) sizes(s string, h hint) []string {
	out := []string{s}
	n := int64(utf8.RuneCountInString(s))
	if b.most >= 0 && n > b.most {
		number := strconv.Itoa(h.n + 1)
		keep := max(b.most-int64(len(number)), 0)
		out = append(out, s[:min(keep, int64(len(s)))]+number, s[:min(b.most, int64(len(s)))])
	}
	if n < b.least {
		fill := strings.Repeat("a", int(b.least-n))
		// A mailbox grows before its sign, a path at its end.
		out = append(out, fill+s, s+fill)
		if len(s) >= 4 {
			out = append(out, strings.TrimRight(s, "=")+strings.Repeat("A", int((b.least+3)/4*4)))
		}
	}
	return out
}
