package load

import (
	"fmt"
	"math/big"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// scalar fills n from a YAML scalar.
func (r *yamlReader) scalar(n *Node, y *yaml.Node) {
	plain := y.Style&^yaml.TaggedStyle == 0
	kind, text := String, y.Value
	if plain {
		kind, text = coreSchema(y.Value)
	}
	if y.Style&yaml.TaggedStyle != 0 {
		kind, text = r.tagged(n, y, kind, text)
	}
	n.Kind, n.Text = kind, text
	if text != y.Value {
		n.written = y.Value
	}
}

// tagged applies an explicit tag to a scalar whose own kind and text are given.
func (r *yamlReader) tagged(n *Node, y *yaml.Node, kind Kind, text string) (Kind, string) {
	var want Kind
	switch y.Tag {
	case "!!str", "!!binary", "!!timestamp":
		return String, y.Value
	case "!!int", "!!float":
		want = Number
	case "!!bool":
		want = Bool
	case "!!null":
		want = Null
	default:
		r.ignoredTag(n, y)
		return kind, text
	}
	got, value := coreSchema(y.Value)
	if got == want {
		return got, value
	}
	r.find(finding{
		node: n, pos: n.Pos(), code: "yaml-tag",
		message: func(string) string {
			return fmt.Sprintf("the tag %s does not fit the value %q", clip(y.Tag), clip(y.Value))
		},
	})
	return kind, text
}

// collectionTag reports tags that ask for more than a plain list or mapping.
func (r *yamlReader) collectionTag(n *Node, y *yaml.Node, plain string) {
	if y.Style&yaml.TaggedStyle != 0 && y.Tag != plain {
		r.ignoredTag(n, y)
	}
}

func (r *yamlReader) ignoredTag(n *Node, y *yaml.Node) {
	r.find(finding{
		node: n, pos: n.Pos(), severity: diag.Warning, code: "yaml-tag",
		message: func(string) string {
			return fmt.Sprintf("the YAML tag %s is ignored: a document holds JSON values only", clip(y.Tag))
		},
	})
}

// coreSchema resolves a plain scalar by the core schema of YAML 1.2 (chapter
// 10.3.2). Numbers come back as JSON text of the same value. The infinities and
// not-a-number, which JSON lacks, stay strings, so that they meet the checks for
// a string where a number is due.
func coreSchema(s string) (Kind, string) {
	switch s {
	case "":
		return Null, "" // nothing written: keep it apart from the word
	case "~", "null", "Null", "NULL":
		return Null, "null"
	case "true", "True", "TRUE":
		return Bool, "true"
	case "false", "False", "FALSE":
		return Bool, "false"
	}
	if n, ok := coreNumber(s); ok {
		return Number, n
	}
	return String, s
}

// coreNumber returns the JSON form of a number of the core schema:
//
//	0o[0-7]+  0x[0-9a-fA-F]+  [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
func coreNumber(s string) (string, bool) {
	if c := s[0]; (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' {
		return "", false
	}
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'o') {
		return prefixedInt(s)
	}
	sign, rest := "", s
	if rest[0] == '-' || rest[0] == '+' {
		if rest[0] == '-' {
			sign = "-"
		}
		rest = rest[1:]
	}
	whole, rest := cutDigits(rest)
	fraction, point := "", strings.HasPrefix(rest, ".")
	if point {
		fraction, rest = cutDigits(rest[1:])
	}
	if whole == "" && fraction == "" {
		return "", false
	}
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return "", false
		}
		digits := strings.TrimLeft(rest[1:], "+-")
		if len(rest)-1-len(digits) > 1 {
			return "", false
		}
		if d, left := cutDigits(digits); d == "" || left != "" {
			return "", false
		}
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + rest, true
}

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// prefixedInt converts 0x and 0o integers. Converting the base takes more than
// linear time, so a number that fills pages is left a string.
func prefixedInt(s string) (string, bool) {
	base, digits := 16, "0123456789abcdefABCDEF"
	if s[1] == 'o' {
		base, digits = 8, "01234567"
	}
	if len(s) > 1000 || strings.Trim(s[2:], digits) != "" {
		return "", false
	}
	v, ok := new(big.Int).SetString(s[2:], base)
	if !ok {
		return "", false
	}
	return v.String(), true
}
