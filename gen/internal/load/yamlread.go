package load

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// maxYAMLNodes bounds what the YAML parser may build, by an estimate from the
// text, because its nodes are twice the size of ours and come before any count.
const maxYAMLNodes = 2 * maxNodes

// yamlReader turns the nodes of the YAML parser into ours.
//
// The parser resolves plain scalars by YAML 1.1; its answer is ignored and the
// core schema of YAML 1.2 applied to the text, as OpenAPI asks.
type yamlReader struct {
	*builder
	at      cursor
	anchors map[*yaml.Node]*anchored
	members []Member // stacks, as in jsonReader
	items   []*Node
}

// anchored is what an alias needs to know of its anchor.
type anchored struct {
	node   *Node // nil while it is being read
	size   int   // number of values below, aliases counted as copies
	height int
}

// readYAML reads the text of the builder's file.
func readYAML(b *builder) (*Node, *fault) {
	src := b.file.source
	if bad := checkYAMLText(src); bad != nil {
		return nil, bad
	}
	docs, err := parseYAML(src)
	if err != nil {
		return nil, explainYAML(b.file, src, err)
	}
	if len(docs) == 0 || len(docs[0].Content) == 0 {
		return nil, &fault{line: 1, col: 1, code: "empty-file", message: "the file holds no value, only comments"}
	}
	r := &yamlReader{builder: b, at: newCursor(src), anchors: map[*yaml.Node]*anchored{}}
	root, _, bad := r.value(docs[0].Content[0], nil, 1)
	if bad != nil {
		return nil, bad
	}
	if len(docs) > 1 {
		line, col := r.at.place(docs[1].Line, docs[1].Column)
		return nil, &fault{
			line: line, col: col, code: "several-documents",
			message: `a second YAML document starts here; a file must hold one`,
			hint:    `remove the line "---" or put the second document into a file of its own`,
		}
	}
	return root, nil
}

// checkYAMLText refuses what the parser would refuse without saying where, and
// texts that would make it build too much.
func checkYAMLText(src string) *fault {
	estimate := 2*strings.Count(src, ":") + strings.Count(src, ",") + strings.Count(src, "[") +
		strings.Count(src, "{") + strings.Count(src, "- ") + strings.Count(src, "-\n") + 2*strings.Count(src, "? ")
	if estimate > maxYAMLNodes {
		return &fault{
			line: 1, col: 1, code: "too-many-values", message: "the file holds too many values",
			hint: "split the document into several files",
		}
	}
	for i, c := range src {
		switch {
		case c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c < 0x7f:
		case c == 0x85 || c >= 0xa0 && c != 0xfffe && c != 0xffff:
		default:
			line, col := position(src[:i])
			return &fault{
				line: line, col: col, code: "yaml-syntax",
				message: fmt.Sprintf("YAML does not allow the control character %U", c),
				hint:    `write it as an escape such as \x07 in a string in double quotes`,
			}
		}
	}
	return nil
}

// parseYAML returns the documents of src, two at most: a second is one too many.
func parseYAML(src string) (docs []*yaml.Node, err error) {
	defer func() {
		// The parser panics on states that it believes impossible.
		if p := recover(); p != nil {
			docs, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(acceptedVersion(src)))
	for len(docs) < 2 {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			if errors.Is(err, io.EOF) {
				return docs, nil
			}
			return nil, err
		}
		if len(docs) == 1 && emptyDocument(&doc) {
			continue // after a closing "---"
		}
		docs = append(docs, &doc)
	}
	return docs, nil
}

// acceptedVersion hides a YAML version other than 1.1 from the parser, which
// reads 1.2 but refuses to be told. The text keeps its length, so positions stay.
func acceptedVersion(src string) string {
	at := 0
	for at < len(src) {
		line, _, _ := strings.Cut(src[at:], "\n")
		digit := at + len("%YAML 1.")
		switch {
		case strings.HasPrefix(line, "%YAML 1.") && len(line) > len("%YAML 1.") && src[digit] >= '2' && src[digit] <= '9':
			return src[:digit] + "1" + src[digit+1:]
		case strings.HasPrefix(line, "%"), strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			at += len(line) + 1
		default:
			return src // directives stand before all else
		}
	}
	return src
}

func emptyDocument(doc *yaml.Node) bool {
	return len(doc.Content) == 0 ||
		doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Value == "" && doc.Content[0].Style == 0
}

// value converts y, which stands directly below parent, and returns the height
// of the tree below it.
func (r *yamlReader) value(y *yaml.Node, parent *Node, depth int) (*Node, int, *fault) {
	if y.Kind == yaml.AliasNode {
		return r.alias(y, depth)
	}
	line, col := r.at.place(y.Line, y.Column)
	if depth > maxDepth {
		return nil, 0, tooDeep(line, col)
	}
	var a *anchored
	if y.Anchor != "" {
		a = &anchored{}
		r.anchors[y] = a
	}
	before := r.count
	n := r.node(Null, line, col)
	if n == nil {
		return nil, 0, r.tooMany(line, col)
	}
	n.Parent = parent
	height, bad := 1, (*fault)(nil)
	switch y.Kind {
	case yaml.MappingNode:
		height, bad = r.mapping(n, y, depth)
	case yaml.SequenceNode:
		height, bad = r.sequence(n, y, depth)
	case yaml.ScalarNode, yaml.DocumentNode, yaml.AliasNode:
		r.scalar(n, y)
	}
	if bad != nil {
		return nil, 0, bad
	}
	if a != nil {
		a.node, a.size, a.height = n, r.count-before, height
	}
	return n, height, nil
}

// alias returns the node of the anchor itself. Whoever walks the tree walks it
// again below each alias, so its size counts again: a few lines of nested
// aliases could stand for billions of values.
func (r *yamlReader) alias(y *yaml.Node, depth int) (*Node, int, *fault) {
	line, col := r.at.place(y.Line, y.Column)
	a := r.anchors[y.Alias]
	switch {
	case a == nil: // the parser only lets aliases of earlier anchors through
		return nil, 0, &fault{line: line, col: col, code: "undefined-alias", message: fmt.Sprintf("alias *%s is not defined", clip(y.Value))}
	case a.node == nil:
		bad := &fault{
			line: line, col: col, code: "cyclic-alias",
			message: fmt.Sprintf("alias *%s stands inside its own anchor, so the value would contain itself", clip(y.Value)),
			hint:    "use a $ref for a recursive structure",
		}
		bad.related = []diag.Related{{Pos: diag.Pos{File: r.file.Name, Line: y.Alias.Line, Col: y.Alias.Column}, Message: "the anchor"}}
		return nil, 0, bad
	case depth+a.height > maxDepth:
		return nil, 0, tooDeep(line, col)
	}
	r.count += a.size
	if r.count > r.limit {
		return nil, 0, &fault{
			line: line, col: col, code: "alias-expansion",
			message: fmt.Sprintf("with its aliases expanded, the file holds more than %d values at alias *%s", r.limit, clip(y.Value)),
		}
	}
	a.node.shared = true
	return a.node, a.height, nil
}

func (r *yamlReader) sequence(n *Node, y *yaml.Node, depth int) (int, *fault) {
	n.Kind = Array
	r.collectionTag(n, y, "!!seq")
	base, height := len(r.items), 0
	for _, c := range y.Content {
		v, h, bad := r.value(c, n, depth+1)
		if bad != nil {
			return 0, bad
		}
		height = max(height, h)
		r.items = append(r.items, v)
	}
	r.setItems(n, r.items[base:])
	r.items = r.items[:base]
	return height + 1, nil
}

func (r *yamlReader) mapping(n *Node, y *yaml.Node, depth int) (int, *fault) {
	n.Kind = Object
	r.collectionTag(n, y, "!!map")
	base, height := len(r.members), 0
	var merge *merger
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" {
			if merge == nil {
				merge = r.newMerger(y)
			}
			h, bad := r.merge(merge, n, k, v, depth)
			if bad != nil {
				return 0, bad
			}
			height = max(height, h)
			continue
		}
		m, bad := r.key(k)
		if bad != nil {
			return 0, bad
		}
		var h int
		if m.Value, h, bad = r.value(v, n, depth+1); bad != nil {
			return 0, bad
		}
		height = max(height, h)
		r.members = append(r.members, m)
	}
	r.setMembers(n, r.uniqueKeys(n, r.members[base:]))
	r.members = r.members[:base]
	return height + 1, nil
}

// key reads a mapping key. Any scalar is a string there, letter for letter as
// written: 200, on and ~ are fine names.
func (r *yamlReader) key(k *yaml.Node) (Member, *fault) {
	line, col := r.at.place(k.Line, k.Column)
	if k.Kind == yaml.AliasNode {
		k = k.Alias
	}
	if k.Kind != yaml.ScalarNode {
		return Member{}, &fault{
			line: line, col: col, code: "yaml-key", message: "a list or mapping cannot be a key; keys must be plain names",
			hint: `text that starts with "{" or "[" must be quoted`,
		}
	}
	// The same key may stand below many aliases; it is small and counts as part
	// of the value.
	return Member{Key: k.Value, Line: line, Col: col}, nil
}
