package load

import (
	"net/url"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// maxHops bounds the references that a pointer may lead through.
const maxHops = 32

// Resolve returns the node that ref means at the node from, the scalar that
// holds the reference. The target may itself hold a $ref: chains are the
// caller's. When there is no such node the result is nil and list has an error
// at from; the same from is reported once.
//
// A reference is a file or URL, relative to the file that holds it, a fragment,
// or both. The fragment is a JSON pointer, percent escapes decoded first and ~1
// and ~0 then; from OpenAPI 3.1 on also an $anchor, and the rest also an $id or
// $self of a file already read. Pointers that lead through another $ref, and
// those whose percent sign is meant literally, resolve with a repair.
func (d *Document) Resolve(from *Node, ref string, list *diag.List) *Node {
	r := resolution{Document: d, from: from, ref: ref, list: list, base: d.Root}
	if from != nil && from.File != nil {
		r.base = from.Home()
	}
	return r.run()
}

// resolution is one call of Resolve.
type resolution struct {
	*Document
	from *Node
	ref  string
	list *diag.List
	base *File
	// quiet keeps faults of the reference to itself; those of files that it
	// opens are reported all the same, as they are read only once.
	quiet bool
}

func (r *resolution) run() *Node {
	target, fragment, hasFragment := strings.Cut(r.ref, "#")
	if r.ref == "" {
		r.fail("ref-empty", "the reference is empty").Hintf(`write "#/..." for a part of this file, or a file name`)
		return nil
	}
	root, within := r.base.Root, r.base.Root
	if target == "" {
		if r.Version >= V31 && r.from != nil && r.from.File != nil {
			within, _ = resource(r.from)
		}
	} else {
		if root = r.target(target); root == nil {
			return nil
		}
		within = root
	}
	if !hasFragment || fragment == "" {
		return within
	}
	if fragment[0] != '/' {
		return r.anchored(within, fragment)
	}
	if within != root {
		// Inside a resource with an $id of its own a pointer starts there.
		// Authors who use $id as a mere label start at the file.
		if n, _, _ := walk(within, decodeFragment(fragment)); n != nil {
			return n
		}
	}
	return r.pointer(root, fragment)
}

// fail reports an error at the reference, once.
func (r *resolution) fail(code, format string, args ...any) *diag.Diagnostic {
	list := r.list
	if r.quiet {
		list = nil
	} else if r.from != nil {
		if r.refused[r.from] {
			list = nil
		}
		r.refused[r.from] = true
	}
	return list.Error(r.from.Pos(), code, r.from.Pointer(), format, args...)
}

// shownRef is a reference as a message shows it: short, and without the password
// that a URL may hold.
func shownRef(ref string) string {
	if strings.Contains(ref, "@") && strings.Contains(ref, "//") {
		if u, err := url.Parse(ref); err == nil && u.User != nil {
			ref = u.Redacted()
		}
	}
	return clip(ref)
}

// target returns the root of what the part of the reference before "#" names.
func (r *resolution) target(ref string) *Node {
	if r.Version >= V31 {
		if n := r.identified(ref); n != nil {
			return n
		}
	}
	loc, bad := relativeTo(r.base, ref)
	if bad != nil {
		r.fail(bad.code, "reference %s", bad.message)
		return nil
	}
	f, bad := r.open(loc, r.list)
	if f == nil && bad != nil {
		f = r.besideID(ref)
	}
	if f != nil {
		return f.Root
	}
	if bad == nil {
		// The file's own error stands in the list; it must count even when the
		// caller uses another list for each reference.
		if !r.list.HasErrors() {
			r.fail("ref-file", "reference %q does not resolve: %s is no valid document", shownRef(r.ref), loc.name)
		}
		return nil
	}
	r.unreadable(loc, bad)
	return nil
}

// besideID opens what a relative reference names from the $id of the schema around it,
// by which JSON Schema has it resolved. The file beside the document comes first: most
// documents have an $id as a mere label.
func (r *resolution) besideID(ref string) *File {
	if r.Version < V31 || !r.opt.AllowRemote || r.from == nil || r.from.File == nil {
		return nil
	}
	u, err := url.Parse(ref)
	_, base := resource(r.from)
	if err != nil || u.Host != "" || !isURL(base.String()) {
		return nil
	}
	loc, bad := urlLocation(base.ResolveReference(u))
	if bad != nil {
		return nil
	}
	f, _ := r.open(loc, r.list)
	return f
}

func (r *resolution) unreadable(loc location, bad *fault) {
	if loc.url != nil {
		r.fail(bad.code, "reference %q does not resolve: %s: %s", shownRef(r.ref), loc.name, bad.message).Hint = bad.hint
		return
	}
	d := r.fail(bad.code, "reference %q does not resolve: %s: %s", shownRef(r.ref), loc.name, bad.message)
	d.Hint = bad.hint
	// "components/schemas/A" and "A" are slips for a pointer, not for a file.
	bare := strings.TrimPrefix(r.ref, "/")
	for _, prefix := range []string{"/", "/components/schemas/"} {
		if r.base.Root.At(prefix+bare) != nil {
			d.Hintf("did you mean %q?", "#"+prefix+bare)
			return
		}
	}
	if strings.Contains(r.ref, `\`) {
		d.Hintf("write file names with slashes")
	}
}

// identified returns what is known by the URI that ref stands for.
func (r *resolution) identified(ref string) *Node {
	u, err := url.Parse(ref)
	if err != nil {
		return nil
	}
	base := r.base.base()
	if r.from != nil && r.from.File != nil {
		_, base = resource(r.from)
	}
	for ; r.indexed < len(r.files); r.indexed++ {
		for uri, n := range r.files[r.indexed].identifiers().byURI {
			if _, ok := r.byURI[uri]; !ok {
				r.byURI[uri] = n
			}
		}
	}
	return r.byURI[base.ResolveReference(u).String()]
}

// anchored resolves a fragment that is no pointer.
func (r *resolution) anchored(within *Node, fragment string) *Node {
	if r.Version >= V31 {
		near := r.from
		if within.Home() != r.base || within.Parent != nil {
			near = within
		}
		if n := within.Home().anchor(decodeFragment(fragment), near); n != nil {
			return n
		}
	}
	if r.Version >= V31 && !strings.Contains(fragment, "/") {
		r.fail("ref-anchor", `reference %q does not resolve: %s has no $anchor %q, and a pointer must start with "#/"`,
			shownRef(r.ref), within.Home().Name, clip(fragment))
		return nil
	}
	d := r.fail("ref-fragment", `reference %q does not resolve: a fragment must start with "#/"`, shownRef(r.ref))
	if n, _, _ := walk(within.Home().Root, "/"+decodeFragment(fragment)); n != nil {
		d.Hintf("write %q", strings.Replace(r.ref, "#", "#/", 1))
	}
	return nil
}

// decodeFragment undoes percent escapes. A percent sign that starts none is
// taken literally.
func decodeFragment(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// pointer resolves a fragment that is a JSON pointer from root.
func (r *resolution) pointer(root *Node, fragment string) *Node {
	decoded := decodeFragment(fragment)
	n, at, rest := walk(root, decoded)
	if n != nil {
		return n
	}
	if decoded != fragment {
		if n, _, _ := walk(root, fragment); n != nil {
			r.list.Repair(r.from.Pos(), "ref-escape", r.from.Pointer(),
				`reference %q has a literal "%%" that must be written as %%25; read as meant`, shownRef(r.ref))
			return n
		}
	}
	if n := r.through(at, rest); n != nil {
		return n
	}
	r.missing(root, at, rest, decoded)
	return nil
}

// walk follows a pointer as far as it goes. When it ends early, n is nil, at is
// the last node reached and rest the pointer that does not apply to it.
func walk(root *Node, pointer string) (n, at *Node, rest string) {
	at, rest = root, pointer
	for rest != "" {
		if rest[0] != '/' {
			return nil, at, rest
		}
		token, next, more := strings.Cut(rest[1:], "/")
		child := at.child(UnescapeToken(token))
		if child == nil {
			return nil, at, rest
		}
		at, rest = child, ""
		if more {
			rest = "/" + next
		}
	}
	return at, at, ""
}

// through follows a pointer beyond a node that is itself a reference. RFC 6901
// knows no such step, but bundlers write such pointers and other tools take them.
func (r *resolution) through(at *Node, rest string) *Node {
	for range maxHops {
		next, ok := at.Get("$ref").Str()
		if !ok {
			return nil
		}
		// Faults of the inner reference are reported where it stands itself.
		inner := resolution{Document: r.Document, from: at.Get("$ref"), ref: next, list: r.list, base: at.Home(), quiet: true}
		target := inner.plain()
		if target == nil {
			return nil
		}
		var n *Node
		if n, at, rest = walk(target, rest); n != nil {
			r.list.Repair(r.from.Pos(), "ref-through-ref", r.from.Pointer(),
				"reference %q leads through another $ref; it was followed to %s", shownRef(r.ref), clip(n.Home().Name+"#"+n.Pointer()))
			return n
		}
	}
	return nil
}

// plain resolves without following references inside the pointer.
func (r *resolution) plain() *Node {
	target, fragment, _ := strings.Cut(r.ref, "#")
	root := r.base.Root
	if target != "" {
		if root = r.target(target); root == nil {
			return nil
		}
	}
	n, _, _ := walk(root, decodeFragment(fragment))
	return n
}

// missing reports that a pointer ends early, and what is near.
func (r *resolution) missing(root, at *Node, rest, pointer string) {
	token, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	token = UnescapeToken(token)
	place := at.Pointer()
	if place == "" {
		place = "the document"
		if at.Parent != nil || at.Home() != r.base {
			place = at.Home().Name
		}
	} else if at.Home() != r.base {
		place = at.Home().Name + "#" + place
	}
	var d *diag.Diagnostic
	switch at.Kind {
	case Object:
		d = r.fail("ref-not-found", "reference %q does not resolve: %s has no %q", shownRef(r.ref), clip(place), clip(token))
	case Array:
		d = r.fail("ref-not-found", "reference %q does not resolve: %s is a list of %d, without an element %q",
			shownRef(r.ref), clip(place), len(at.Items), clip(token))
	case Null, Bool, Number, String:
		d = r.fail("ref-not-found", "reference %q does not resolve: %s is a %s and has no parts", shownRef(r.ref), clip(place), at.Kind)
	}
	if hint := suggest(root, at, rest, token, pointer); hint != "" {
		file, _, _ := strings.Cut(r.ref, "#")
		d.Hintf("did you mean %q?", file+"#"+hint)
	}
}

// suggest returns an existing pointer near to one that does not resolve.
func suggest(root, at *Node, rest, token, pointer string) string {
	// Swagger 2.0 had its schemas at #/definitions.
	if name, ok := strings.CutPrefix(pointer, "/definitions/"); ok {
		if moved := "/components/schemas/" + name; root.At(moved) != nil {
			return moved
		}
	}
	if at.Kind != Object {
		return ""
	}
	keys := make([]string, 0, len(at.Members))
	for i := range at.Members {
		keys = append(keys, at.Members[i].Key)
	}
	name, ok := diag.Nearest(token, keys)
	if !ok {
		return ""
	}
	_, tail, more := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	fixed := strings.TrimSuffix(pointer, rest) + "/" + EscapeToken(name)
	if more {
		fixed += "/" + tail
	}
	if root.At(fixed) == nil {
		return ""
	}
	return fixed
}
