// Package importer turns what other tools know of retries, timeouts and pages
// into overlays with x-resilience: the extensions of Speakeasy and Fern, the code
// generation settings of APIMatic, and service configs of gRPC. What has no
// equivalent is said twice, as a diagnostic where it stands and as a comment in
// the overlay.
package importer

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// maxConfig bounds a file that is no OpenAPI document, in bytes.
const maxConfig = 4 << 20

// Options says what to import.
type Options struct {
	Format string // one of Formats
	Path   string // the file
	// Spec is the OpenAPI document whose operations a gRPC service config is for;
	// may be empty. The other formats stand in their document.
	Spec string
	// Read returns the content of a local file of at most maxBytes bytes.
	Read func(path string, maxBytes int64) ([]byte, error)
	// Later are the primitives that generate refuses for now: the overlay has them as
	// comments, so that it is of use today.
	Later []string
}

// Formats are the names of the formats.
func Formats() []string { return []string{"speakeasy", "fern", "apimatic", "grpc-service-config"} }

// Import reads opt.Path and returns an overlay, which follows version 1.1 of the
// Overlay Specification. What is lost goes to list as warnings. The result is nil
// when list has an error, as it has when there is nothing to import. The error is
// about reading a file.
func Import(ctx context.Context, opt Options, list *diag.List) ([]byte, error) {
	if !slices.Contains(Formats(), opt.Format) {
		return nil, fmt.Errorf("unknown format %q", opt.Format)
	}
	w := &work{list: list, source: opt.Path, format: opt.Format, later: opt.Later}
	var err error
	switch opt.Format {
	case "apimatic":
		w.apimaticFile(ctx, opt)
	case "grpc-service-config":
		err = w.grpcFile(ctx, opt)
	default:
		doc := load.Load(ctx, load.Options{Path: opt.Path}, list)
		if doc == nil {
			return nil, ctx.Err()
		}
		w.document(doc) //nolint:contextcheck // doc holds it
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || list.HasErrors() {
		return nil, err
	}
	if w.empty() {
		if len(w.postponed) > 0 {
			list.Error(w.postponed[0].at, "import-later", "", "%s is all of %s in it that can be imported, and this version of holdfast does not act on that yet", w.postponed[0].name, w.format)
			return nil, nil
		}
		list.Error(diag.Pos{File: opt.Path}, "import-nothing", "", "nothing of %s in it can be imported", w.format)
		return nil, nil
	}
	w.warnPostponed()
	return w.overlay(), nil
}

// work is one import.
type work struct {
	list   *diag.List
	source string
	format string
	// doc is the OpenAPI document, nil where there is none.
	doc     *load.Document
	ops     []*operation
	actions []*action
	fern    fernRoot
	ruled   bool // a retry has a rule
	// later is Options.Later, postponed what of it was found.
	later     []string
	postponed []postponed
}

// action becomes one action of the overlay.
type action struct {
	target string
	policy object // the value of x-resilience
	later  object // of the policy, what generate refuses for now
	lost   []string
	at     *load.Node // of an operation
}

// postponed is a primitive that became a comment: where the first stands, and how many
// there are.
type postponed struct {
	name  string
	at    diag.Pos
	count int
}

// operation is one operation under paths.
type operation struct {
	path, method string
	item, node   *load.Node
	id           string
}

// target is the JSONPath of the operation, empty when it stands in another file.
func (o *operation) target(doc *load.Document) string {
	if o.node.File != doc.Root {
		return ""
	}
	var b strings.Builder
	b.WriteByte('$')
	for token := range strings.SplitSeq(strings.TrimPrefix(o.node.Pointer(), "/"), "/") {
		if token = load.UnescapeToken(token); simple(token) {
			b.WriteString("." + token)
		} else {
			b.WriteString("[" + quotedName(token) + "]")
		}
	}
	return b.String()
}

// simple reports whether a name may follow a dot in a JSONPath.
func simple(name string) bool {
	for i := range len(name) {
		c := name[i] | 0x20
		if (c < 'a' || c > 'z') && (i == 0 || name[i] < '0' || name[i] > '9') {
			return false
		}
	}
	return name != ""
}

// methods are the fields of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// writes are those whose effect the language takes for a write.
var writes = []string{"post", "patch"}

// readOperations lists the operations of the document in its order.
func (w *work) readOperations(doc *load.Document) {
	w.doc = doc
	for _, p := range members(doc.Root.Root.Get("paths")) {
		item := w.followed(p.Value)
		for _, m := range members(item) {
			if !slices.Contains(methods, m.Key) || !m.Value.Is(load.Object) {
				continue
			}
			id, _ := m.Value.Get("operationId").Str()
			w.ops = append(w.ops, &operation{path: p.Key, method: m.Key, item: item, node: m.Value, id: id})
		}
	}
}

// actionFor is an empty action for an operation.
func (w *work) actionFor(o *operation) *action { return &action{target: o.target(w.doc), at: o.node} }

func members(n *load.Node) []load.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

func items(n *load.Node) []*load.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// document imports what the extensions of a document say.
func (w *work) document(doc *load.Document) {
	w.readOperations(doc)
	if w.format == "fern" {
		w.fernDocument()
		return
	}
	w.speakeasyDocument()
}

// read parses a file that may be any tree.
func (w *work) read(opt Options, path string) (*load.File, error) {
	data, err := opt.Read(path, maxConfig)
	if err != nil {
		return nil, err
	}
	return load.Parse(path, data, w.list), nil
}

// add appends an action for a policy, unless there is nothing in it to say. What
// stands in another file no overlay of this document reaches.
func (w *work) add(a *action) {
	if a.target == "" && len(a.policy) > 0 {
		a.policy = nil
		w.losef(a, a.at, "the operation stands in another file, which an overlay of the document does not reach: write it there, or use apply")
	}
	w.postpone(a)
	if len(a.policy) > 0 || len(a.later) > 0 || len(a.lost) > 0 {
		w.actions = append(w.actions, a)
	}
}

// postpone takes out of a policy what generate refuses for now.
func (w *work) postpone(a *action) {
	var now object
	for _, f := range a.policy {
		if !slices.Contains(w.later, f.key) {
			now = append(now, f)
			continue
		}
		a.later = append(a.later, f)
		at := diag.Pos{File: w.source}
		if a.at != nil {
			at = a.at.Pos()
		}
		i := slices.IndexFunc(w.postponed, func(p postponed) bool { return p.name == f.key })
		if i < 0 {
			i, w.postponed = len(w.postponed), append(w.postponed, postponed{name: f.key, at: at})
		}
		w.postponed[i].count++
	}
	a.policy = now
}

// warnPostponed tells once for each primitive what became a comment.
func (w *work) warnPostponed() {
	for _, p := range w.postponed {
		where := "once"
		if p.count > 1 {
			where = fmt.Sprintf("%d times, first here", p.count)
		}
		w.list.Warn(p.at, "import-later", "", "%s stands in the overlay as a comment (%s): this version of holdfast does not act on it yet", p.name, where)
	}
}

// losef reports what a setting says that the overlay does not.
func (w *work) losef(a *action, n *load.Node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.list.Warn(n.Pos(), "import-lost", n.Pointer(), "%s", text)
	a.lost = append(a.lost, fmt.Sprintf("%s:%d: %s", filepath.Base(n.File.Name), n.Line, text))
}

// wrong reports a setting that its own tool would not accept.
func (w *work) wrong(n *load.Node, want string) {
	w.list.Error(n.Pos(), "import-value", n.Pointer(), "%s must be %s, got %s", lastName(n), want, found(n))
}

// found says what stands at a node.
func found(n *load.Node) string {
	text, _ := n.Written()
	switch n.Kind {
	case load.String:
		return "the text " + strconv.Quote(shorten(text))
	case load.Number:
		return "the number " + shorten(text)
	case load.Object, load.Array:
		return "a " + n.KindName()
	}
	return text
}

// lastName is the key of a node; an entry of a list has that of the list with its
// place.
func lastName(n *load.Node) string {
	if m, ok := n.Key(); ok {
		return shorten(m.Key)
	}
	tokens := strings.Split(n.Pointer(), "/")
	if len(tokens) < 3 {
		return "the document"
	}
	return fmt.Sprintf("%s[%s]", shorten(tokens[len(tokens)-2]), tokens[len(tokens)-1])
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
