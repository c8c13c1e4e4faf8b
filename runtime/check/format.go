package check

import (
	"encoding/base64"
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check/ecma"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Format is a format keyword of a string that is checked as text; the zero
// Format checks nothing. ParseFormat finds one by its name.
type Format uint8

// The formats. Internationalised forms (idn-email, iri …) need tables that the
// standard library does not have and are not checked.
const (
	FormatNone Format = iota
	FormatDateTime
	FormatDate
	FormatTime
	FormatDuration
	FormatEmail
	FormatHostname
	FormatIPv4
	FormatIPv6
	FormatIP
	FormatURI
	FormatURIReference
	FormatURITemplate
	FormatUUID
	FormatJSONPointer
	FormatRelativeJSONPointer
	FormatRegex
	FormatByte
	formatCount
)

// formats hold the keyword, the words of a message and the check of each.
var formats = [formatCount]struct {
	name, want string
	match      func(string) bool
}{
	FormatNone:     {"", "", func(string) bool { return true }},
	FormatDateTime: {"date-time", "an RFC 3339 date-time", parses(value.ParseDateTime)},
	FormatDate:     {"date", "an RFC 3339 date", parses(value.ParseDate)},
	FormatTime:     {"time", "an RFC 3339 time", parses(value.ParseTime)},
	FormatDuration: {"duration", "an ISO 8601 duration", parses(value.ParseDuration)},
	FormatEmail:    {"email", "an email address", isEmail},
	FormatHostname: {"hostname", "a host name", isHostname},
	FormatIPv4:     {"ipv4", "an IPv4 address", isIPv4},
	FormatIPv6:     {"ipv6", "an IPv6 address", isIPv6},
	FormatIP:       {"ip", "an IP address", func(s string) bool { return isIPv4(s) || isIPv6(s) }},
	FormatURI:      {"uri", "an absolute URI", isURI},
	FormatURIReference: {
		"uri-reference", "a URI or a relative reference",
		isURIReference,
	},
	FormatURITemplate: {"uri-template", "a URI template", isURITemplate},
	FormatUUID:        {"uuid", "a UUID", parses(value.ParseUUID)},
	FormatJSONPointer: {"json-pointer", "a JSON pointer", isJSONPointer},
	FormatRelativeJSONPointer: {
		"relative-json-pointer", "a relative JSON pointer",
		isRelativeJSONPointer,
	},
	FormatRegex: {"regex", "a regular expression", isRegex},
	FormatByte:  {"byte", "base64 text", isBase64},
}

// ParseFormat returns the Format of a schema's format keyword, and false for
// one that is not checked.
func ParseFormat(keyword string) (Format, bool) {
	for f := FormatNone + 1; f < formatCount; f++ {
		if formats[f].name == keyword {
			return f, true
		}
	}
	return FormatNone, false
}

// String returns the keyword, "" for FormatNone.
func (f Format) String() string {
	if f >= formatCount {
		return ""
	}
	return formats[f].name
}

// Match reports whether s has the format.
func (f Format) Match(s string) bool {
	return f == FormatNone || f >= formatCount || formats[f].match(s)
}

func (f Format) describe() string { return formats[f].want }

func parses[T any](parse func(string) (T, error)) func(string) bool {
	return func(s string) bool {
		_, err := parse(s)
		return err == nil
	}
}

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

// isIPv6 refuses zones: they are no part of RFC 4291's text form.
func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isHostname checks RFC 1123: labels of letters, digits and inner hyphens. A
// final dot, an empty label, and over 253 bytes in all are refused.
func isHostname(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isDigit(c) && !isLetter(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

// isEmail checks the Mailbox of RFC 5321, ASCII only.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if inner, ok := strings.CutPrefix(domain, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if v6, is6 := strings.CutPrefix(inner, "IPv6:"); is6 {
			ok = ok && isIPv6(v6)
		} else {
			ok = ok && isIPv4(inner)
		}
		return ok && isLocalPart(local)
	}
	return isHostname(domain) && isLocalPart(local)
}

func isLocalPart(s string) bool {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return isQuotedLocal(s[1 : len(s)-1])
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			if c := atom[i]; !isDigit(c) && !isLetter(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
				return false
			}
		}
	}
	return true
}

func isQuotedLocal(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			if i == len(s) {
				return false
			}
			c = s[i]
		} else if c == '"' {
			return false
		}
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// isJSONPointer checks RFC 6901.
func isJSONPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// isRelativeJSONPointer checks a number without leading zeros and "#" or a
// pointer after it.
func isRelativeJSONPointer(s string) bool {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == 0 || i > 1 && s[0] == '0' {
		return false
	}
	return s[i:] == "#" || isJSONPointer(s[i:])
}

// isRegex accepts what ECMA-262 does, also where this package cannot run it, and
// refuses escapes of other languages.
func isRegex(s string) bool {
	re, err := ecma.Compile(s)
	if e, ok := errors.AsType[*ecma.Error](err); ok {
		return e.Unsupported && !e.Foreign
	}
	return !slices.ContainsFunc(re.Notes(), func(n ecma.Note) bool { return n.Escape })
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && !strings.ContainsAny(s, "\r\n")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
