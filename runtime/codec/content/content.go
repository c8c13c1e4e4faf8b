// Package content knows media types and where the bytes of a body come from.
package content

import "strings"

// Media types that the runtime writes itself.
const (
	TypeJSON        = "application/json"
	TypeProblem     = "application/problem+json"
	TypeText        = "text/plain"
	TypeBinary      = "application/octet-stream"
	TypeForm        = "application/x-www-form-urlencoded"
	TypeMultipart   = "multipart/form-data"
	TypeEvents      = "text/event-stream"
	TypeLines       = "application/x-ndjson"
	TypeSequence    = "application/json-seq"
	maxTypeLength   = 255 // of a type and subtype; longer ones match nothing
	structuredJSON  = "+json"
	wildcard        = "*"
	typeSeparator   = '/'
	paramsSeparator = ';'
)

// Bare is the type and subtype of a Content-Type, without parameters and the
// space around. Letters keep their case.
func Bare(contentType string) string {
	if i := strings.IndexByte(contentType, paramsSeparator); i >= 0 {
		contentType = contentType[:i]
	}
	return strings.Trim(contentType, " \t")
}

// Match reports whether a Content-Type fits a range such as
// application/json, image/* or */*. Case and parameters do not count, on
// either side.
func Match(pattern, contentType string) bool {
	pattern, contentType = Bare(pattern), Bare(contentType)
	if len(contentType) > maxTypeLength {
		return false
	}
	i, j := strings.IndexByte(pattern, typeSeparator), strings.IndexByte(contentType, typeSeparator)
	if i < 0 || j <= 0 || j == len(contentType)-1 {
		return pattern == wildcard && j > 0
	}
	if t := pattern[:i]; t != wildcard && !strings.EqualFold(t, contentType[:j]) {
		return false
	}
	sub := pattern[i+1:]
	return sub == wildcard || strings.EqualFold(sub, contentType[j+1:])
}

// IsRange reports whether a media type leaves its type or subtype open, so
// that it cannot be the type of a body that is sent.
func IsRange(mediaType string) bool {
	return strings.Contains(Bare(mediaType), wildcard)
}

// Concrete is the media type to send where a document says mediaType: usual, if that
// is a range which usual fits, and else mediaType as it is.
func Concrete(mediaType, usual string) string {
	if IsRange(mediaType) && Match(mediaType, usual) {
		return usual
	}
	return mediaType
}

// IsJSON reports whether a body of this type is JSON: application/json,
// text/json, or a type whose suffix is +json.
func IsJSON(contentType string) bool {
	t := Bare(contentType)
	if n := len(t) - len(structuredJSON); n > 0 && strings.EqualFold(t[n:], structuredJSON) {
		return true
	}
	return strings.EqualFold(t, TypeJSON) || strings.EqualFold(t, "text/json")
}

// Valid reports whether a media type can be sent as a Content-Type: a type and
// a subtype of token characters, without ranges, and parameters of printable
// ASCII.
func Valid(mediaType string) bool {
	t := Bare(mediaType)
	i := strings.IndexByte(t, typeSeparator)
	if i <= 0 || !isToken(t[:i]) || !isToken(t[i+1:]) || IsRange(t) {
		return false
	}
	for i := range len(mediaType) {
		if mediaType[i] < ' ' || mediaType[i] > '~' {
			return false
		}
	}
	return true
}

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}
