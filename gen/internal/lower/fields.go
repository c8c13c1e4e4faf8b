package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// checkFields reports the members of n that its kind does not have. Each node is
// checked once, however many ways lead to it. It is false when n is no mapping,
// which is reported too.
func (l *lowerer) checkFields(n *load.Node, what string, kind object) bool {
	if !n.Is(load.Object) {
		l.wrongKind(n, what, load.Object)
		return false
	}
	if l.checked[n] {
		return true
	}
	l.checked[n] = true
	l.unknownFields(n, what, objectFields[kind], kind.goExtensions())
	return true
}

// unknownFields is checkFields with the fields given. x-* members are always fine,
// but an x-go-* extension that has no meaning is warned about: it is one that somebody
// expects to have an effect.
func (l *lowerer) unknownFields(n *load.Node, what string, fields []field, goExtensions []string) {
	for _, m := range n.Members {
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == m.Key })
		switch {
		case strings.HasPrefix(m.Key, "x-"):
			l.checkExtension(m, what, goExtensions)
		case at < 0:
			l.unknownField(m, what, fields)
		case fields[at].since > l.doc.Version:
			l.list.Repair(m.Pos(), "later-field", m.Value.Pointer(),
				"%s: field %q belongs to OpenAPI %s, the document is %s: read as there",
				what, m.Key, versionName(fields[at].since), l.doc.VersionText)
		}
	}
}

// unknownField reports one field that nothing knows.
func (l *lowerer) unknownField(m load.Member, what string, fields []field) {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.name)
	}
	near, ok := diag.Nearest(m.Key, names)
	if ok {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == near })
		if f := fields[i]; !f.cosmetic && !singular(m.Key, f.name) {
			l.list.Error(m.Pos(), "unknown-field", m.Value.Pointer(), "%s: unknown field %q", what, m.Key).
				Hintf("did you mean %s?", near)
			return
		}
	}
	d := l.list.Repair(m.Pos(), "unknown-field", m.Value.Pointer(), "%s: unknown field %q: ignored", what, m.Key)
	if ok {
		d.Hintf("did you mean %s?", near)
	}
}

// singular reports whether one word is the other's plural: "example" beside
// "examples" is a field of another object more often than a typing mistake.
func singular(a, b string) bool { return a+"s" == b || b+"s" == a }

// checkExtension warns about extensions that look like ours and are not.
func (l *lowerer) checkExtension(m load.Member, what string, goExtensions []string) {
	switch {
	case strings.HasPrefix(m.Key, "x-go-"):
		if slices.Contains(goExtensions, m.Key) {
			return
		}
		d := l.list.Warn(m.Pos(), "unknown-extension", m.Value.Pointer(),
			"%s: extension %q has no meaning here: ignored", what, m.Key)
		if near, ok := diag.Nearest(m.Key, goExtensions); ok {
			d.Hintf("did you mean %s?", near)
		}
	case m.Key != resilienceKey && strings.HasPrefix(m.Key, "x-res"):
		if _, ok := diag.Nearest(m.Key, []string{resilienceKey}); ok {
			l.list.Warn(m.Pos(), "unknown-extension", m.Value.Pointer(),
				"%s: extension %q has no meaning: ignored", what, m.Key).
				Hintf("did you mean %s?", resilienceKey)
		}
	}
}

// resilienceKey is the extension that package resilience lowers.
const resilienceKey = "x-resilience"

func versionName(v load.Version) string {
	switch v {
	case load.V31:
		return "3.1"
	case load.V32:
		return "3.2"
	default:
		return "3.0"
	}
}

// wrongKind reports that something is not of the kind it must be. n may be nil.
func (l *lowerer) wrongKind(n *load.Node, what string, want load.Kind) {
	l.list.Error(keyPos(n), "wrong-type", n.Pointer(), "%s must be a %s, got a %s", what, want, n.KindName())
}

// object returns the member of n called key as a mapping. A member of another
// kind is an error, null counts as absent.
func (l *lowerer) object(n *load.Node, key, what string) *load.Node {
	return l.member(n, key, what, load.Object)
}

// proseObject is object for members that change nothing in the generated code.
func (l *lowerer) proseObject(n *load.Node, key, what string) *load.Node {
	v := n.Get(key)
	if v == nil || v.Kind == load.Object {
		return v
	}
	l.repairf(v, "wrong-type", "%s must be a mapping, got a %s: ignored", fieldOf(what, key), v.KindName())
	return nil
}

// array is object for lists.
func (l *lowerer) array(n *load.Node, key, what string) *load.Node {
	return l.member(n, key, what, load.Array)
}

func (l *lowerer) member(n *load.Node, key, what string, want load.Kind) *load.Node {
	m, ok := n.Member(key)
	switch {
	case !ok:
		return nil
	case m.Value.Kind == want && want == load.Object:
		return l.container(m.Value, fieldOf(what, key))
	case m.Value.Kind == want:
		return m.Value
	case want == load.Array && m.Value.Has("$ref"):
		return l.listElsewhere(m.Value, fieldOf(what, key))
	case m.Value.Kind == load.Null:
		l.list.Repair(m.Pos(), "wrong-type", m.Value.Pointer(),
			"%s must be a %s, got null: taken as absent", fieldOf(what, key), want)
		return nil
	}
	l.list.Error(m.Pos(), "wrong-type", m.Value.Pointer(),
		"%s must be a %s, got a %s", fieldOf(what, key), mappingOf(key, want), m.Value.KindName())
	return nil
}

// mappingOf says what a mapping maps from, where that helps.
func mappingOf(key string, want load.Kind) string {
	if key == "content" && want == load.Object {
		return "mapping of media types"
	}
	return want.String()
}

func fieldOf(what, key string) string {
	if what == "" || what == "the document" {
		return key
	}
	return what + ": " + key
}

// text returns the member of n called key as text. Numbers, booleans and the like
// are what YAML makes of text without quotes: taken as written, with a warning.
func (l *lowerer) text(n *load.Node, key, what string) string {
	m, ok := n.Member(key)
	if !ok {
		return ""
	}
	if s, ok := m.Value.Str(); ok {
		return s
	}
	s, ok := m.Value.Written()
	if !ok {
		l.list.Error(m.Pos(), "wrong-type", m.Value.Pointer(),
			"%s must be a string, got a %s", fieldOf(what, key), m.Value.KindName())
		return ""
	}
	if m.Value.Kind == load.Null {
		l.list.Repair(m.Value.Pos(), "wrong-type", m.Value.Pointer(),
			"%s must be a string, got null: taken as absent", fieldOf(what, key))
		return ""
	}
	l.list.Repair(m.Value.Pos(), "wrong-type", m.Value.Pointer(),
		"%s must be a string, got the %s %s: taken as text", fieldOf(what, key), m.Value.KindName(), s)
	return s
}

// prose is text for fields that only people read: nothing of the wrong kind in
// them is worth ending a run.
func (l *lowerer) prose(n *load.Node, key, what string) string {
	if v := n.Get(key); v.Is(load.Object) || v.Is(load.Array) {
		l.repairf(v, "wrong-type", "%s must be a string, got a %s: ignored", fieldOf(what, key), v.KindName())
		return ""
	}
	return l.text(n, key, what)
}

// flag returns the member of n called key as a boolean, def when it is absent.
func (l *lowerer) flag(n *load.Node, key, what string, def bool) bool {
	v := n.Get(key)
	if v == nil {
		return def
	}
	if b, ok := v.Bool(); ok {
		return b
	}
	if s, ok := v.Written(); ok && (strings.EqualFold(s, "true") || strings.EqualFold(s, "false")) {
		l.repairf(v, "wrong-type", "%s must be a boolean, got the %s %q: taken as that boolean",
			fieldOf(what, key), v.KindName(), s)
		return strings.EqualFold(s, "true")
	}
	l.repairf(v, "wrong-type", "%s must be a boolean, got a %s: taken as %t", fieldOf(what, key), v.KindName(), def)
	return def
}

// strings returns the member of n called key as a list of texts.
func (l *lowerer) strings(n *load.Node, key, what string) []string {
	v := n.Get(key)
	if s, ok := v.Str(); ok {
		l.repairf(v, "wrong-type", "%s must be a list, got the string %q: taken as a list of one", fieldOf(what, key), s)
		return []string{s}
	}
	list := l.array(n, key, what)
	var out []string
	if list == nil {
		return nil
	}
	for _, item := range list.Items {
		s, ok := item.Written()
		if !ok {
			l.wrongKind(item, "an entry of "+fieldOf(what, key), load.String)
			continue
		}
		if item.Kind != load.String {
			l.repairf(item, "wrong-type", "an entry of %s must be a string, got the %s %s: taken as text",
				fieldOf(what, key), item.KindName(), s)
		}
		out = append(out, s)
	}
	return out
}
