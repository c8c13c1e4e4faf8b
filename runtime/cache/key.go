package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Key names what is stored: the variants of one answer to one principal.
type Key struct {
	// Resource is the address without its fragment, in one form for all that are equal.
	Resource string
	// Operation is that of the [Rules]; empty without one.
	Operation string
	// Principal is the SHA-256 of the credential, in hex; empty for entries that are the
	// same for all, or without a credential.
	Principal string
	// Rest is the digest of all else that tells entries apart, in hex; empty for a GET
	// without any.
	Rest string
}

// credentials are the fields of a request that say who asks.
var credentials = [...]string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key"}

// Principal is the SHA-256, in hex, of the fields that usually say who asks; empty when
// there is none of them.
func Principal(h http.Header) string {
	var sum hash.Hash
	for _, name := range credentials {
		if len(h[name]) == 0 {
			continue
		}
		if sum == nil {
			sum = sha256.New()
		}
		add(sum, name)
		for _, v := range h[name] {
			add(sum, v)
		}
	}
	if sum == nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// add writes a text with its length, so that no two lists of texts give the same bytes.
func add(w io.Writer, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	_, _ = w.Write(n[:]) // a hash takes everything
	_, _ = io.WriteString(w, s)
}

// errBody says that the body of a request cannot be told.
var errBody = errors.New("the request's body cannot be read again")

// keyOf is the key of a request.
func keyOf(r *http.Request, u *Use, rules *Rules) (Key, error) {
	k := Key{Resource: Resource(r.URL, r.Host), Operation: rules.Operation}
	switch {
	case rules.SameForAll:
	case u != nil && u.HasPrincipal:
		k.Principal = u.Principal
	default:
		k.Principal = Principal(r.Header)
	}
	hasBody := r.Method != "" && r.Method != http.MethodGet && r.Method != http.MethodHead
	extra := ""
	if u != nil {
		extra = u.Key
	}
	if !hasBody && extra == "" && len(rules.Vary) == 0 {
		return k, nil
	}
	sum := sha256.New()
	add(sum, extra)
	for _, name := range rules.Vary {
		add(sum, name)
		add(sum, normal(name, r.Header[name]))
	}
	if hasBody {
		add(sum, r.Method)
		add(sum, strings.Join(r.Header["Content-Type"], ","))
		if err := addBody(sum, r); err != nil {
			return Key{}, err
		}
	}
	k.Rest = hex.EncodeToString(sum.Sum(nil))
	return k, nil
}

// addBody adds the bytes of a body that can be had anew.
func addBody(sum io.Writer, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.GetBody == nil {
		return errBody
	}
	body, err := r.GetBody()
	if err != nil {
		return err
	}
	n, err := io.Copy(sum, io.LimitReader(body, policy.MaxReplay+1))
	_ = body.Close() // it was read
	if err == nil && n > policy.MaxReplay {
		return errBody
	}
	return err
}

// Resource is an address in the form of [Key]: the case of scheme and host, a port that
// the scheme implies and an empty path make no difference.
func Resource(u *url.URL, host string) string {
	if host == "" {
		host = u.Host
	}
	scheme := strings.ToLower(u.Scheme)
	host = strings.ToLower(host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return scheme + "://" + host + path
}

// varyNames are the fields that a response varies by, in canonical form and sorted; ok
// is false for one that nothing can be told about.
func varyNames(h http.Header) (names []string, ok bool) {
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.Trim(name, " \t")
			switch {
			case name == "":
			case name == "*" || !isToken(name):
				return nil, false
			default:
				names = append(names, http.CanonicalHeaderKey(name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// selectors are the values of the fields that a response varies by.
func selectors(names []string, r http.Header) []Selector {
	if len(names) == 0 {
		return nil
	}
	out := make([]Selector, len(names))
	for i, name := range names {
		out[i] = Selector{name, normal(name, r[name])}
	}
	return out
}

// matches reports whether a request chooses the entry.
func (e *Entry) matches(r http.Header) bool {
	for _, s := range e.Vary {
		if normal(s.Name, r[s.Name]) != s.Value {
			return false
		}
	}
	return true
}

// absent is the normal form of a field that is not there, which is not the same as an
// empty one. No field can have this value.
const absent = "\x00"

// normal is the value of a field in normal form: its lines as one list without white
// space around the commas outside quotes. Languages are in lower case and sorted, for
// neither their case nor the order of those with one weight means anything.
func normal(name string, lines []string) string {
	if lines == nil {
		return absent
	}
	if name == "Accept-Language" {
		items := strings.FieldsFunc(strings.ToLower(strings.Join(lines, ",")), func(c rune) bool { return c == ',' })
		for i, item := range items {
			items[i] = strings.ReplaceAll(strings.ReplaceAll(item, " ", ""), "\t", "")
		}
		slices.Sort(items)
		return strings.Join(items, ",")
	}
	if len(lines) == 1 && !strings.ContainsAny(lines[0], " \t") {
		return lines[0]
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte(',')
		}
		writeList(&b, line)
	}
	return b.String()
}

// writeList writes a list without white space around the commas outside quotes.
func writeList(b *strings.Builder, line string) {
	quoted := false
	start := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			b.WriteString(strings.Trim(line[start:i], " \t"))
			b.WriteByte(',')
			start = i + 1
		}
	}
	b.WriteString(strings.Trim(line[start:], " \t"))
}
