package load

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Bounds of one file. They are far above what people publish (the largest
// public documents have about 2 million nodes, 40 levels) and keep the worst
// input at some hundred megabytes and a few seconds.
const (
	maxFileBytes = 64 << 20
	maxNodes     = 4 << 20
	maxDepth     = 1000
	maxFindings  = 10_000
)

// fault is the reason why a text is no tree: a syntax error or a bound.
type fault struct {
	line, col int32
	code      string
	message   string
	hint      string
	related   []diag.Related
}

func (f *fault) report(file *File, list *diag.List) {
	d := list.Error(file.pos(f.line, f.col), f.code, "", "%s", f.message)
	d.Hint, d.Related = f.hint, f.related
}

// finding is a fault within a tree that is otherwise fine. It is reported once
// the tree stands, because pointers are only known then.
type finding struct {
	node     *Node // the value at fault or the object that holds the key at fault
	pos      diag.Pos
	severity diag.Severity
	code     string
	message  func(pointer string) string
}

// builder makes the nodes of one file. Nodes and their member lists come from
// slabs: a large document has a million of each.
type builder struct {
	file     *File
	limit    int // of nodes
	count    int // nodes so far, aliases counted as copies
	findings []finding

	nodes   []Node
	members []Member
	items   []*Node
	slab    int
}

func newBuilder(file *File, limit int) *builder {
	// About one node stands on 24 bytes of source; small files must not cost
	// a full slab, as a document may consist of thousands of them.
	return &builder{file: file, limit: limit, slab: min(max(len(file.source)/32, 8), 1024)}
}

// node returns a new node at a position, nil when the file has too many.
func (b *builder) node(kind Kind, line, col int32) *Node {
	if b.count++; b.count > b.limit {
		return nil
	}
	if len(b.nodes) == 0 {
		b.nodes = make([]Node, b.slab)
	}
	n := &b.nodes[0]
	b.nodes = b.nodes[1:]
	n.Kind, n.Line, n.Col, n.File = kind, line, col, b.file
	return n
}

func (b *builder) tooMany(line, col int32) *fault {
	return &fault{
		line: line, col: col, code: "too-many-values",
		message: fmt.Sprintf("the file holds more than %d values", b.limit),
		hint:    "split the document into several files",
	}
}

func tooDeep(line, col int32) *fault {
	return &fault{
		line: line, col: col, code: "too-deep",
		message: fmt.Sprintf("values are nested more than %d levels deep here", maxDepth),
	}
}

// setMembers gives n a copy of members, of exact size, and links the values.
// Values that belong to another place, shared through an alias, stay linked to
// that one; of two places in n itself the first counts.
func (b *builder) setMembers(n *Node, members []Member) {
	if len(members) == 0 {
		return
	}
	size := len(members)
	if len(b.members) < size {
		b.members = make([]Member, max(b.slab, size))
	}
	n.Members = b.members[:size:size]
	b.members = b.members[size:]
	copy(n.Members, members)
	for i := size - 1; i >= 0; i-- {
		n.Members[i].Value.link(n, i)
	}
	if size >= indexFrom {
		n.index = make(map[string]int32, size)
		for i := range n.Members {
			n.index[n.Members[i].Key] = int32(i)
		}
	}
}

// setItems is setMembers for arrays.
func (b *builder) setItems(n *Node, items []*Node) {
	if len(items) == 0 {
		return
	}
	size := len(items)
	if len(b.items) < size {
		b.items = make([]*Node, max(b.slab, size))
	}
	n.Items = b.items[:size:size]
	b.items = b.items[size:]
	copy(n.Items, items)
	for i := size - 1; i >= 0; i-- {
		n.Items[i].link(n, i)
	}
}

// link records that parent holds n in slot i, unless n belongs elsewhere.
func (n *Node) link(parent *Node, i int) {
	if n.Parent == nil {
		n.Parent = parent
	}
	if n.Parent == parent {
		n.slot = int32(i)
	}
}

// uniqueKeys drops members whose key was there before, a finding each. Which of
// the two an author meant is a guess, so the caller sees the first, and the run
// ends with an error.
func (b *builder) uniqueKeys(n *Node, members []Member) []Member {
	if len(members) < indexFrom {
		for i := 1; i < len(members); i++ {
			for j := range i {
				if members[j].Key == members[i].Key {
					return b.dropDuplicates(n, members)
				}
			}
		}
		return members
	}
	seen := make(map[string]struct{}, len(members))
	for i := range members {
		seen[members[i].Key] = struct{}{}
	}
	if len(seen) == len(members) {
		return members
	}
	return b.dropDuplicates(n, members)
}

func (b *builder) dropDuplicates(n *Node, members []Member) []Member {
	first := make(map[string]diag.Pos, len(members))
	kept := members[:0]
	for _, m := range members {
		pos := b.file.pos(m.Line, m.Col)
		at, double := first[m.Key]
		if !double {
			first[m.Key] = pos
			kept = append(kept, m)
			continue
		}
		b.duplicate(n, m.Key, at, pos)
	}
	return kept
}

func (b *builder) duplicate(n *Node, key string, first, second diag.Pos) {
	b.find(finding{
		node: n, pos: second, code: "duplicate-key",
		message: func(pointer string) string {
			return fmt.Sprintf("key %q is defined twice %s: on line %d and again on line %d",
				clip(key), under(pointer), first.Line, second.Line)
		},
	})
}

// under names the object with the given pointer for a message, in the words of
// the document: path keys hold slashes and read badly when escaped.
func under(pointer string) string {
	if pointer == "" {
		return "at the top level"
	}
	last := UnescapeToken(pointer[strings.LastIndexByte(pointer, '/')+1:])
	return "under " + clip(last)
}

func (b *builder) find(f finding) {
	if len(b.findings) < maxFindings {
		b.findings = append(b.findings, f)
	}
}

// report hands the findings over, now that every node knows its place.
func (b *builder) report(list *diag.List) {
	for _, f := range b.findings {
		pointer := f.node.Pointer()
		list.Add(diag.Diagnostic{
			Pos: f.pos, Severity: f.severity, Code: f.code, Pointer: pointer, Message: f.message(pointer),
		})
	}
}

// clip shortens text from a document for a message.
func clip(s string) string {
	const limit = 120
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "..."
}
