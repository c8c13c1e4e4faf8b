package semantic

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// Request is what a question is made of.
type Request struct {
	Operation string
	// Principal is whose question it is; empty is everybody without a credential.
	Principal string
	// Parameters are what else has to be the same: method, address and header, say.
	Parameters  []string
	ContentType string
	Body        []byte
}

// Question is the text of a request, and what of the request has to be the same. Only
// questions that one cache has made are compared.
type Question struct {
	text   string
	digest [sha256.Size]byte // of the text
	kind   kind
}

// kind is what questions must have in common to be compared.
type kind struct {
	operation, principal string
	rest                 [sha256.Size]byte
}

// Text is what is embedded.
func (q *Question) Text() string { return q.text }

// Question reads a request. It is false where there is no text to compare, or one that is
// too long.
func (c *Cache) Question(r *Request) (Question, bool) {
	text, rest := c.split(r.ContentType, r.Body)
	if text == "" || len(text) > c.settings.maxText {
		return Question{}, false
	}
	h := sha256.New()
	for _, p := range r.Parameters {
		add(h, p)
	}
	add(h, r.ContentType)
	add(h, rest)
	q := Question{text: text, digest: sha256.Sum256([]byte(text)), kind: kind{operation: r.Operation, principal: r.Principal}}
	h.Sum(q.kind.rest[:0])
	return q, true
}

// add writes a text so that no two lists of texts give the same bytes.
func add(h hash.Hash, text string) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(text)))
	h.Write(size[:])
	h.Write([]byte(text))
}

// split gives the text of a body, and what the body says besides it. The text is empty
// where there is none.
func (c *Cache) split(contentType string, body []byte) (text, rest string) {
	if len(body) == 0 || !utf8.Valid(body) {
		return "", ""
	}
	if !content.IsJSON(contentType) {
		if readable(contentType) {
			return string(body), ""
		}
		return "", ""
	}
	root, err := jsontree.Parse(string(body))
	if err != nil {
		return "", ""
	}
	marked := map[int]bool{}
	for _, p := range c.settings.pointers {
		if v, ok := at(root, p); ok && v.Kind != jsontree.Null {
			marked[v.Offset] = true
		}
	}
	if len(marked) == 0 {
		return string(body), ""
	}
	s := splitter{marked: marked}
	s.value(&root, false)
	return strings.Join(s.texts, "\n"), string(s.rest)
}

// readable reports whether a body that is no JSON is a text of some kind.
func readable(contentType string) bool {
	name, _, err := mime.ParseMediaType(contentType)
	return err == nil && (strings.HasPrefix(name, "text/") || name == content.TypeForm)
}

// at is the value at a pointer.
func at(v jsontree.Value, steps []string) (jsontree.Value, bool) {
	for _, step := range steps {
		switch v.Kind {
		case jsontree.Object:
			inner, ok := v.Get(step)
			if !ok {
				return v, false
			}
			v = inner
		case jsontree.Array:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v.Items) || strconv.Itoa(i) != step {
				return v, false
			}
			v = v.Items[i]
		default:
			return v, false
		}
	}
	return v, true
}

// splitter takes the text out of a document. What is left is written in a form that does
// not depend on spaces or on the order of members, with a mark in the place of each text.
type splitter struct {
	marked map[int]bool // the offsets of values that hold text
	texts  []string
	rest   []byte
}

// value writes one value; text says that it stands where text does.
func (s *splitter) value(v *jsontree.Value, text bool) {
	text = text || s.marked[v.Offset]
	switch v.Kind {
	case jsontree.String:
		if text {
			s.texts = append(s.texts, v.Text)
			s.rest = append(s.rest, 'T') // no JSON, so that no value looks like it
			return
		}
		s.rest = jsontree.AppendString(s.rest, v.Text)
	case jsontree.Array:
		s.rest = append(s.rest, '[')
		for i := range v.Items {
			s.value(&v.Items[i], text)
			s.rest = append(s.rest, ',')
		}
		s.rest = append(s.rest, ']')
	case jsontree.Object:
		s.object(v, text && speaks(v))
	default:
		s.rest = append(s.rest, v.Text...)
	}
}

// holders are the members of a message in which text stands.
var holders = []string{"content", "text", "parts"}

func (s *splitter) object(v *jsontree.Value, text bool) {
	members := slices.Clone(v.Members)
	slices.SortFunc(members, func(a, b jsontree.Member) int { return strings.Compare(a.Name, b.Name) })
	s.rest = append(s.rest, '{')
	for i := range members {
		m := &members[i]
		s.rest = append(jsontree.AppendString(s.rest, m.Name), ':')
		s.value(&m.Value, text && slices.Contains(holders, m.Name))
		s.rest = append(s.rest, ',')
	}
	s.rest = append(s.rest, '}')
}

// speaks reports whether the content of a message is part of the conversation. What the
// system or a developer says is an instruction, and what a tool says is data: of those a
// small difference makes another question, however similar the words.
func speaks(message *jsontree.Value) bool {
	role, ok := message.Get("role")
	if !ok {
		return true
	}
	switch strings.ToLower(role.Text) {
	case "user", "human", "assistant", "model":
		return role.Kind == jsontree.String
	}
	return false
}
