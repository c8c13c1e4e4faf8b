// Package yaml reads policy files that are written in YAML, of which JSON is a part.
//
// It is a leaf with a dependency: programs whose files are JSON do not need it.
package yaml

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// Decode is the policyfile.Decoder of YAML. Aliases stand for what they name, tags
// other than those of JSON's types are errors, and so is a second document.
func Decode(data []byte) (*policyfile.Node, error) {
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var document yaml.Node
	if err := dec.Decode(&document); err != nil {
		return nil, syntaxError(err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, &policyfile.SyntaxError{Line: second.Line, Column: max(1, second.Column), Message: "a second document"}
	}
	r := reader{}
	n := r.node(&document, 0)
	if r.wrong != nil {
		return nil, r.wrong
	}
	return n, nil
}

// lineOf is how the library names a line in its messages.
var lineOf = regexp.MustCompile(`line (\d+): `)

func syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := &policyfile.SyntaxError{Line: 1, Column: 1}
	if m := lineOf.FindStringSubmatchIndex(text); m != nil {
		if line, err := strconv.Atoi(text[m[2]:m[3]]); err == nil && line > 0 {
			at.Line = line
		}
		text = text[:m[0]] + text[m[1]:]
	}
	if text == "EOF" {
		text = "the file is empty"
	}
	at.Message = "not valid YAML: " + text
	return at
}

// reader turns the library's nodes into those of a policy file.
type reader struct {
	nodes int
	wrong error
}

func (r *reader) fail(at *yaml.Node, message string) *policyfile.Node {
	if r.wrong == nil {
		r.wrong = &policyfile.SyntaxError{Line: max(1, at.Line), Column: max(1, at.Column), Message: message}
	}
	return &policyfile.Node{}
}

func (r *reader) node(n *yaml.Node, depth int) *policyfile.Node {
	// An alias counts with all that it stands for, so that a file cannot grow.
	r.nodes++
	switch {
	case r.wrong != nil:
		return &policyfile.Node{}
	case depth > policyfile.MaxDepth:
		return r.fail(n, "nested too deeply, or an alias inside what it names")
	case r.nodes > policyfile.MaxNodes:
		return r.fail(n, "too many values")
	}
	out := &policyfile.Node{Line: max(1, n.Line), Column: max(1, n.Column)}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 1 {
			return r.node(n.Content[0], depth)
		}
	case yaml.AliasNode:
		if n.Alias != nil {
			return r.node(n.Alias, depth+1)
		}
	case yaml.ScalarNode:
		return r.scalar(n, out)
	case yaml.SequenceNode:
		out.Kind = policyfile.List
		for _, item := range n.Content {
			out.Items = append(out.Items, r.node(item, depth+1))
		}
		return out
	case yaml.MappingNode:
		return r.object(n, out, depth)
	}
	return r.fail(n, "the file is empty")
}

func (r *reader) object(n *yaml.Node, out *policyfile.Node, depth int) *policyfile.Node {
	out.Kind = policyfile.Object
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			return r.fail(key, "a name has to be a plain text")
		case seen[key.Value]:
			return r.fail(key, "a second "+strconv.Quote(key.Value))
		}
		seen[key.Value] = true
		out.Members = append(out.Members, policyfile.Member{
			Name: key.Value, Line: max(1, key.Line), Column: max(1, key.Column), Value: r.node(n.Content[i+1], depth+1),
		})
	}
	return out
}

// jsonNumber is the form of JSON's numbers.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func (r *reader) scalar(n *yaml.Node, out *policyfile.Node) *policyfile.Node {
	out.Text = n.Value
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		out.Kind = policyfile.String
	case "!!null":
		out.Kind, out.Text = policyfile.Null, "null"
	case "!!bool":
		v, err := boolOf(n)
		if err != nil {
			return r.fail(n, err.Error())
		}
		out.Kind, out.Text = policyfile.Bool, strconv.FormatBool(v)
	case "!!int", "!!float":
		if !jsonNumber.MatchString(n.Value) {
			return r.fail(n, "a number has to be written in the decimal form of JSON")
		}
		out.Kind = policyfile.Number
	default:
		return r.fail(n, "the tag "+n.ShortTag()+" is not one of JSON's types")
	}
	if !utf8.ValidString(out.Text) {
		return r.fail(n, "not UTF-8")
	}
	return out
}

func boolOf(n *yaml.Node) (v bool, _ error) {
	if n.Decode(&v) != nil {
		return false, errors.New("neither true nor false")
	}
	return v, nil
}
