package load

import (
	"regexp"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// OverlayVersion is the version of the Overlay Specification that an overlay
// follows.
type OverlayVersion uint8

// The supported versions, in order.
const (
	Overlay10 OverlayVersion = iota + 1
	Overlay11
)

// String returns "1.0" or "1.1".
func (v OverlayVersion) String() string {
	switch v {
	case Overlay10:
		return "1.0"
	case Overlay11:
		return "1.1"
	default:
		return "unknown"
	}
}

// maxActions bounds the actions of one overlay.
const maxActions = 100_000

// Overlay is a checked document of the Overlay Specification. It is read-only
// once parsed.
type Overlay struct {
	File    *File
	Version OverlayVersion
	// Extends is the document that the overlay says it is for, nil when it says
	// nothing.
	Extends *Node
	Actions []Action
}

// Action is one action of an overlay.
type Action struct {
	Node   *Node // the whole object
	Target *Node // the JSONPath as written
	Update *Node // nil without one
	Copy   *Node // the JSONPath of what is copied, nil without one
	Remove bool

	target, source *query
}

// ParseOverlay reads and checks an overlay. Faults go to list. The result is nil,
// and list has an error, when the text is no overlay of a known version; actions
// with faults of their own are left out.
func ParseOverlay(name string, data []byte, list *diag.List) *Overlay {
	f := Parse(name, data, list)
	if f == nil {
		return nil
	}
	return readOverlay(f, list)
}

var (
	fullOverlay  = regexp.MustCompile(`^1\.[01]\.[0-9]+$`)
	looseOverlay = regexp.MustCompile(`^1\.([01])(\.|-|$)`)
)

// overlayReader checks the parts of one overlay.
type overlayReader struct {
	list    *diag.List
	version OverlayVersion
}

func readOverlay(f *File, list *diag.List) *Overlay {
	root := f.Root
	if root.Kind != Object {
		list.Error(root.Pos(), "overlay-root", "", "an overlay must be a mapping with overlay, info and actions, got %s", kindFound(root))
		return nil
	}
	r := &overlayReader{list: list}
	if r.version = r.versionOf(root); r.version == 0 {
		return nil
	}
	known := r.keys(root, "an overlay", "overlay", "info", "extends", "actions")
	r.info(root, known)
	o := &Overlay{File: f, Version: r.version, Extends: r.text(root, "extends")}
	o.Actions = r.actions(root, known)
	return o
}

func (r *overlayReader) versionOf(root *Node) OverlayVersion {
	field := root.Get("overlay")
	if field == nil {
		d := r.list.Error(root.Pos(), "overlay-version", "", `the field "overlay" is missing: this is no overlay`)
		if root.Has("openapi") || root.Has("swagger") {
			d.Hintf("this is an OpenAPI document")
		} else {
			d.Hintf("add a first line such as: overlay: 1.1.0")
		}
		return 0
	}
	text, _ := field.Written()
	m := looseOverlay.FindStringSubmatch(text)
	switch {
	case field.Kind != String:
		r.list.Error(field.Pos(), "overlay-version", field.Pointer(),
			`overlay must be a version such as "1.1.0", got %s %s`, field.Kind, clip(text)).
			Hintf("write all three numbers, in quotes")
		return 0
	case m == nil:
		r.list.Error(field.Pos(), "overlay-version", field.Pointer(),
			"overlay %q is not supported (1.0.x, 1.1.x)", clip(text))
		return 0
	case !fullOverlay.MatchString(text):
		r.list.Repair(field.Pos(), "overlay-version", field.Pointer(),
			`overlay %q is no full version such as "1.%s.0"; read as 1.%s`, clip(text), m[1], m[1])
	}
	return Overlay10 + OverlayVersion(m[1][0]-'0')
}

// keys reports members of n that the specification does not know, and returns false
// then: what is missing is most likely what has the strange name.
func (r *overlayReader) keys(n *Node, what string, known ...string) bool {
	all := true
	for _, m := range n.Members {
		if m.Key == "x-resilience" {
			// Any x- may stand here, but this one would say nothing about anything.
			r.list.Error(m.Pos(), "resilience-place", m.Value.Pointer(), "x-resilience is of no operation here, among the fields of %s", what).
				Hintf("write it below the update of an action, whose target has it then")
			continue
		}
		if slices.Contains(known, m.Key) || strings.HasPrefix(m.Key, "x-") {
			continue
		}
		d := r.list.Error(m.Pos(), "overlay-unknown-key", m.Value.Pointer(), "unknown field %q of %s", clip(m.Key), what)
		if near, ok := diag.Nearest(m.Key, known); ok {
			d.Hintf("did you mean %s?", near)
		} else {
			d.Hintf("known here: %s", strings.Join(known, ", "))
		}
		all = false
	}
	return all
}

// kindFound says what stands at a node, with its article.
func kindFound(n *Node) string {
	if n.Kind == Null {
		return "null"
	}
	return "a " + n.Kind.String()
}

// text returns the member key of n if it is a string, and reports another kind.
func (r *overlayReader) text(n *Node, key string) *Node {
	v := n.Get(key)
	if v != nil && v.Kind != String {
		r.list.Error(v.Pos(), "overlay-type", v.Pointer(), "%s must be a string, got %s", key, kindFound(v))
		return nil
	}
	return v
}

func (r *overlayReader) info(root *Node, known bool) {
	info := root.Get("info")
	if info == nil && !known {
		return
	}
	if info == nil {
		r.list.Error(root.Pos(), "overlay-missing", "", "the overlay has no info").
			Hintf("add: info: {title: ..., version: 1.0.0}")
		return
	}
	if info.Kind != Object {
		r.list.Error(info.Pos(), "overlay-type", info.Pointer(), "info must be a mapping with title and version, got %s", kindFound(info))
		return
	}
	known = r.keys(info, "info", "title", "version", "description")
	for _, key := range []string{"title", "version"} {
		if known && !info.Has(key) {
			r.list.Error(info.Pos(), "overlay-missing", info.Pointer(), "info has no %s", key)
		}
		r.text(info, key)
	}
	if m, ok := info.Member("description"); ok && r.text(info, "description") != nil && r.version < Overlay11 {
		r.list.Repair(m.Pos(), "overlay-unknown-key", m.Value.Pointer(), "info has a description only from Overlay 1.1 on; read all the same")
	}
}

func (r *overlayReader) actions(root *Node, known bool) []Action {
	v := root.Get("actions")
	if v == nil && !known {
		return nil
	}
	if v == nil {
		r.list.Error(root.Pos(), "overlay-missing", "", "the overlay has no actions")
		return nil
	}
	if v.Kind != Array || len(v.Items) == 0 {
		found := kindFound(v)
		if v.Kind == Array {
			found = "an empty list"
		}
		r.list.Error(v.Pos(), "overlay-type", v.Pointer(), "actions must be a list of at least one action, got %s", found)
		return nil
	}
	if len(v.Items) > maxActions {
		r.list.Error(v.Pos(), "too-many-values", v.Pointer(), "an overlay may have %d actions, this one has %d", maxActions, len(v.Items))
		return nil
	}
	var actions []Action
	seen := map[string]*Node{}
	for _, item := range v.Items {
		if a, ok := r.action(item); ok {
			actions = append(actions, a)
		}
		text := string(item.JSON())
		if first := seen[text]; first != nil {
			r.list.Error(item.Pos(), "overlay-same-action", item.Pointer(), "the same action stands in the list twice").
				At(first.Pos(), "the first one")
			continue
		}
		seen[text] = item
	}
	return actions
}

func (r *overlayReader) action(n *Node) (Action, bool) {
	if n.Kind != Object {
		r.list.Error(n.Pos(), "overlay-type", n.Pointer(), "an action must be a mapping with target and update, copy or remove, got %s", kindFound(n))
		return Action{}, false
	}
	a := Action{Node: n, Target: r.text(n, "target"), Update: n.Get("update")}
	known := r.keys(n, "an action", "target", "description", "update", "copy", "remove")
	r.text(n, "description")
	good := true
	if a.Target == nil {
		if good = false; known && !n.Has("target") {
			r.list.Error(n.Pos(), "overlay-missing", n.Pointer(), "the action has no target").
				Hintf(`add a JSONPath, for example: target: $.paths["/users"].get`)
		}
	} else if a.target = r.query(a.Target); a.target == nil {
		good = false
	}
	if v := n.Get("remove"); v != nil {
		if _, ok := v.Bool(); !ok {
			r.list.Error(v.Pos(), "overlay-type", v.Pointer(), "remove must be true or false, got %s", kindFound(v))
			good = false
		}
		a.Remove, _ = v.Bool()
	}
	if n.Has("copy") && !r.copied(n, &a) {
		good = false
	}
	if known {
		r.purpose(n, a)
	}
	return a, good
}

// copied reads the field copy, which came with 1.1.
func (r *overlayReader) copied(n *Node, a *Action) bool {
	m, _ := n.Member("copy")
	if r.version < Overlay11 {
		r.list.Error(m.Pos(), "overlay-unknown-key", m.Value.Pointer(), "copy is not part of Overlay 1.0").
			Hintf("write overlay: 1.1.0")
		return false
	}
	if a.Copy = r.text(n, "copy"); a.Copy == nil {
		return false
	}
	a.source = r.query(a.Copy)
	if a.Update != nil && !a.Remove {
		// Each has "no impact" beside the other, so neither would happen.
		r.list.Error(m.Pos(), "overlay-purpose", m.Value.Pointer(), "update and copy exclude each other in one action")
		return false
	}
	return a.source != nil
}

// purpose warns of parts of an action that do nothing.
func (r *overlayReader) purpose(n *Node, a Action) {
	switch {
	case a.Remove && a.Update != nil:
		m, _ := n.Member("update")
		r.list.Warn(m.Pos(), "overlay-purpose", m.Value.Pointer(), "update has no effect beside remove: true").
			Hintf("make two actions of it")
	case a.Remove && a.Copy != nil:
		m, _ := n.Member("copy")
		r.list.Warn(m.Pos(), "overlay-purpose", m.Value.Pointer(), "copy has no effect beside remove: true").
			Hintf("make two actions of it")
	case !a.Remove && !n.Has("update") && !n.Has("copy"):
		r.list.Warn(n.Pos(), "overlay-purpose", n.Pointer(), "the action does nothing: it has no update, copy or remove")
	}
}
