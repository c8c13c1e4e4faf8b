package names

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are the words that Go writes in capitals.
var initialisms = map[string]bool{
	"ACL": true, "API": true, "ASCII": true, "CPU": true, "CSS": true, "CSV": true,
	"DNS": true, "GUID": true, "HTML": true, "HTTP": true, "HTTPS": true, "ID": true,
	"IP": true, "JSON": true, "JWT": true, "PDF": true, "QPS": true, "RPC": true,
	"SLA": true, "SMS": true, "SMTP": true, "SQL": true, "SSH": true, "SSO": true,
	"TCP": true, "TLS": true, "TTL": true, "UDP": true, "UI": true, "UID": true,
	"URI": true, "URL": true, "URN": true, "UTF8": true, "UUID": true, "VM": true,
	"XML": true, "XMPP": true, "XSRF": true, "XSS": true, "YAML": true,
}

// maxShout is the most letters that a key of capitals alone may have to be taken
// for an abbreviation (EUR, GET) and kept.
const maxShout = 3

// Exported makes an exported Go identifier from keys of a document, joined. See the
// package documentation for the rule. It never returns the empty string.
func Exported(keys ...string) string { return exported("X", keys) }

func exported(prefix string, keys []string) string {
	var b strings.Builder
	for _, key := range keys {
		join(&b, camel(key))
	}
	if b.Len() == 0 {
		b.WriteString("Empty")
	}
	name := b.String()
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		return prefix + name
	}
	return name
}

// join appends a word and keeps two numbers apart.
func join(b *strings.Builder, word string) {
	if word == "" {
		return
	}
	if s := b.String(); s != "" && isDigit(rune(s[len(s)-1])) && isDigit(rune(word[0])) {
		b.WriteByte('_')
	}
	b.WriteString(word)
}

// camel is the key in Go's spelling, without the care for its first character.
func camel(key string) string {
	words := split(key)
	if len(words) == 0 {
		return spellAll(key)
	}
	shout := shouted(words)
	var b strings.Builder
	for _, w := range words {
		if shout && !w.sign {
			w.text = strings.ToLower(w.text)
		}
		join(&b, title(w.text))
	}
	return b.String()
}

// shouted reports whether a key has no lower-case letter and is not an abbreviation.
func shouted(words []word) bool {
	letters, plain := 0, 0
	for _, w := range words {
		if w.sign {
			continue
		}
		plain++
		for _, r := range w.text {
			switch {
			case unicode.IsLower(r):
				return false
			case unicode.IsLetter(r):
				letters++
			}
		}
	}
	return plain > 1 || letters > maxShout
}

// title writes one word with a leading capital, or all of it when it is an initialism.
func title(w string) string {
	up := strings.ToUpper(w)
	if initialisms[up] {
		return up
	}
	if stem, ok := strings.CutSuffix(up, "S"); ok && initialisms[stem] && strings.HasSuffix(w, "s") {
		return stem + "s"
	}
	r, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + w[size:]
}

// word is a part of a key: its own letters, or a sign put into words.
type word struct {
	text string
	sign bool
}

// splitter cuts one key into words.
type splitter struct {
	runes []rune
	cur   []rune
	out   []word
}

// split gives the words of a key; none when the key holds neither letters, digits
// nor signs that mean something.
func split(key string) []word {
	s := &splitter{runes: []rune(key)}
	for i, r := range s.runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if s.boundary(i) {
				s.flush()
			}
			s.cur = append(s.cur, r)
		case unicode.IsMark(r):
			// Part of the letter before it; no legal part of an identifier.
		default:
			s.flush()
			if w := s.sign(i); w != "" {
				s.out = append(s.out, word{text: w, sign: true})
			}
		}
	}
	s.flush()
	return s.out
}

func (s *splitter) flush() {
	if len(s.cur) > 0 {
		s.out = append(s.out, word{text: string(s.cur)})
		s.cur = s.cur[:0]
	}
}

// at is the rune at i, or 0 outside the key.
func (s *splitter) at(i int) rune {
	if i < 0 || i >= len(s.runes) {
		return 0
	}
	return s.runes[i]
}

// boundary reports whether the letter at i begins a word although no separator
// stands before it.
func (s *splitter) boundary(i int) bool {
	if len(s.cur) == 0 || !unicode.IsUpper(s.runes[i]) {
		return false
	}
	prev := s.cur[len(s.cur)-1]
	if !unicode.IsUpper(prev) {
		return unicode.IsLower(prev) || unicode.IsDigit(prev)
	}
	next := s.at(i + 1)
	if !unicode.IsLower(next) {
		return false
	}
	// IDs and URLs are plurals, not "I Ds".
	return next != 's' || unicode.IsLower(s.at(i+2))
}

func isDigit(r rune) bool { return unicode.IsDigit(r) }
