package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// mediaType is a media type or range without its parameters, in lower case.
type mediaType struct {
	major, minor string
}

// parseMediaType reads the key of a content. Parameters such as charset, version
// or profile do not choose how a body is read, and a key that is no media type at
// all is a stream of bytes.
func parseMediaType(key string) mediaType {
	essence, _, _ := strings.Cut(key, ";")
	essence = strings.ToLower(strings.TrimSpace(essence))
	if essence == "*" {
		return mediaType{"*", "*"}
	}
	major, minor, _ := strings.Cut(essence, "/")
	return mediaType{strings.TrimSpace(major), strings.TrimSpace(minor)}
}

func (m mediaType) String() string { return m.major + "/" + m.minor }

// valid reports whether both halves are there.
func (m mediaType) valid() bool {
	return (m.major == "*" || isToken(m.major)) && (m.minor == "*" || isToken(m.minor)) && (m.major != "*" || m.minor == "*")
}

func (m mediaType) is(major string, minors ...string) bool {
	return m.major == major && slices.Contains(minors, m.minor)
}

func (m mediaType) json() bool {
	return m.is("application", "json", "x-json", "*+json") || m.is("text", "json", "x-json") || strings.HasSuffix(m.minor, "+json")
}

func (m mediaType) xml() bool {
	return m.is("application", "xml") || m.is("text", "xml") || strings.HasSuffix(m.minor, "+xml")
}

// lines reports whether the body is a sequence of JSON values.
func (m mediaType) lines() bool {
	return m.is("application", "jsonl", "x-jsonl", "jsonlines", "x-jsonlines", "ndjson", "x-ndjson", "json-seq", "stream+json") ||
		m.is("text", "jsonl", "ndjson", "x-ndjson") || strings.HasSuffix(m.minor, "+json-seq") || strings.HasSuffix(m.minor, "+jsonl")
}

// open reports whether the range leaves it to the sender what the body is.
func (m mediaType) open() bool {
	return m.minor == "*" && (m.major == "*" || m.major == "application")
}

// kind is how a body of this media type is read and written. shape is the kind
// behind its schema, and schema says whether there is one.
//
// A range such as */* says nothing about the form of a body; the schema does. One
// that is not bytes is taken as JSON, except a plain string, which frameworks that
// write */* send as it is.
func (m mediaType) kind(shape ir.Kind, schema bool) ir.ContentKind {
	text := shape == ir.KindScalar || shape == ir.KindEnum
	switch {
	case schema && shape == ir.KindBinary && !m.is("text", "event-stream") && m.major != "multipart":
		return ir.ContentBinary
	case m.lines():
		return ir.ContentLines
	case m.json():
		return ir.ContentJSON
	case m.xml():
		return ir.ContentXML
	case m.is("application", "x-www-form-urlencoded"):
		return ir.ContentForm
	case m.major == "multipart":
		return ir.ContentMultipart
	case m.is("text", "event-stream"):
		return ir.ContentEvents
	case m.open() && schema && text:
		return ir.ContentText
	case m.open() && schema:
		return ir.ContentJSON
	case m.major == "text", m.is("application", "javascript", "graphql", "jwt", "sql"):
		return ir.ContentText
	default:
		return ir.ContentBinary
	}
}
