package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// maxLength is the number of characters past which a name is cut.
const maxLength = 100

// claim is one wish for an identifier.
type claim struct {
	key      string   // unique within its scope and layer; the hash is made of it
	word     string   // the document's own word, compared with the name wanted
	forms    []string // wanted identifiers, best first
	explicit bool     // x-go-name: the form is not up for debate
	away     bool     // of another file than the root document
	pos      diag.Pos
	give     func(name string)
}

// before reports whether c wins name over d. It looks at the two keys alone.
func (c *claim) before(d *claim, name string) bool {
	if c.explicit != d.explicit {
		return c.explicit
	}
	if c.away != d.away {
		return d.away
	}
	if a, b := c.word == name, d.word == name; a != b {
		return a
	}
	if len(c.word) != len(d.word) {
		return len(c.word) < len(d.word)
	}
	if c.word != d.word {
		return c.word < d.word
	}
	return c.key < d.key
}

// form is the identifier that the claim asks for in the given round: first its own
// forms, then the best of them with ever more of the key's hash.
func (c *claim) form(round int) string {
	if round < len(c.forms) {
		return shorten(c.forms[round], c.key)
	}
	sum := hash(c.key)
	n := 4 << (round - len(c.forms))
	if n <= 0 || n > len(sum) {
		n = len(sum)
	}
	name := []rune(c.forms[0])
	return string(name[:min(len(name), maxLength)]) + "_h" + sum[:n]
}

// shorten cuts a name that is too long to read; the hash keeps it apart from others
// with the same beginning.
func shorten(name, key string) string {
	runes := []rune(name)
	if len(runes) <= maxLength {
		return name
	}
	return string(runes[:maxLength-10]) + "_h" + hash(key)[:8]
}

func hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// scope is a set of identifiers that must differ.
type scope struct {
	taken     map[string]*claim
	conflicts *[]Conflict
}

func newScope(conflicts *[]Conflict) *scope {
	return &scope{taken: map[string]*claim{}, conflicts: conflicts}
}

// reserve takes names for ourselves.
func (s *scope) reserve(names ...string) {
	for _, n := range names {
		s.taken[n] = &claim{word: n, forms: []string{n}}
	}
}

// settle gives a name to each claim of one layer. All claims of the layer are known
// at once, so their order is of no account.
func (s *scope) settle(layer []*claim) {
	for round := 0; len(layer) > 0; round++ {
		winners := map[string]*claim{}
		for _, c := range layer {
			name := c.form(round)
			if s.taken[name] != nil {
				continue
			}
			if w := winners[name]; w == nil || c.before(w, name) {
				winners[name] = c
			}
		}
		var rest []*claim
		for i, c := range layer {
			name := c.form(round)
			if winners[name] == c {
				s.taken[name] = c
				c.give(name)
				continue
			}
			if c.explicit && round == 0 {
				s.conflict(c, name, winners[name])
			}
			if round > len(c.forms)+4 {
				// Equal keys: only a broken document has them, and lower has said so.
				c.key += strconv.Itoa(i)
			}
			rest = append(rest, c)
		}
		layer = rest
	}
}

// conflict records an x-go-name that another holds already.
func (s *scope) conflict(c *claim, name string, holder *claim) {
	if holder == nil {
		holder = s.taken[name]
	}
	*s.conflicts = append(*s.conflicts, Conflict{Name: name, Pos: c.pos, Other: holder.pos})
}

// Conflict is an x-go-name that cannot be given because another part of the
// document, or the generator itself (Other is zero), holds that name.
type Conflict struct {
	Name       string
	Pos, Other diag.Pos
}
