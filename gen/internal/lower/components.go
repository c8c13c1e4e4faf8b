package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// components lowers the schemas of components and checks everything else in it
// that no operation has led to.
func (l *lowerer) components(root *load.Node) {
	components := l.object(root, "components", "the document")
	if components == nil || !l.checkFields(components, "components", componentsObject) {
		return
	}
	for _, m := range components.Members {
		if strings.HasPrefix(m.Key, "x-") || m.Key == "securitySchemes" {
			continue
		}
		if m.Key == "schemas" {
			l.componentSchemas(m.Value)
			continue
		}
		section := m.Value
		kind, known := sections[m.Key]
		switch {
		case !known:
		case section.Is(load.Object):
			for _, c := range l.container(section, "components: "+m.Key).Members {
				l.component1(c, kind)
			}
		case kind == exampleObject || kind == linkObject || section.Kind == load.Null:
			l.proseObject(components, m.Key, "components")
		default:
			l.wrongKind(section, "components: "+m.Key, load.Object)
		}
	}
}

// componentSchemas lowers the schemas that are wanted: all, or with a filter those
// that a kept operation reaches.
func (l *lowerer) componentSchemas(schemas *load.Node) {
	if !schemas.Is(load.Object) {
		if schemas.Kind != load.Null {
			l.wrongKind(schemas, "components: schemas", load.Object)
		}
		return
	}
	var reached map[*load.Node]bool
	if l.filter.active() {
		reached = l.reachable(schemas)
	}
	for _, m := range schemas.Members {
		if strings.HasPrefix(m.Key, "x-") && !schemaLike(m.Value) {
			continue
		}
		if reached == nil || reached[m.Value] {
			l.component(m.Value, m.Key)
		}
	}
}

// schemaLike tells a schema whose name begins with x- from an extension.
func schemaLike(n *load.Node) bool {
	return n.Has("type") || n.Has("properties") || n.Has("allOf") || n.Has("oneOf") || n.Has("anyOf") || n.Has("enum") || n.Has("$ref")
}

// component1 checks a component of another kind than a schema. What an operation
// uses has been lowered and checked already; the rest is not generated, but a
// fault in it is a fault of the document.
func (l *lowerer) component1(m load.Member, kind object) {
	if strings.HasPrefix(m.Key, "x-") && !m.Value.Is(load.Object) {
		return
	}
	n := l.follow(m.Value, kind).node
	if n == nil || l.checked[n] || n.Kind == load.Null {
		return
	}
	what := string(kind) + " " + m.Key
	switch kind {
	case pathItemObject, callbackObject:
		l.follow(n, kind) // their operations are checked where they are used
	case exampleObject, linkObject:
		if n.Is(load.Object) {
			l.checkFields(n, what, kind)
		}
	case parameterObject:
		l.unusedParameter(n, what)
	default:
		l.checkFields(n, what, kind)
	}
}

// unusedParameter checks what can be checked of a parameter without lowering its
// schema, which would declare types that nothing uses.
func (l *lowerer) unusedParameter(n *load.Node, what string) {
	if !l.checkFields(n, what, parameterObject) {
		return
	}
	if !n.Has("name") {
		l.errorf(n, "param-name", "%s: a parameter needs a name", what)
	}
	l.parameterIn(n, what)
	if n.Has("schema") && n.Has("content") {
		l.errorf(n, "param-schema-content", "%s: schema and content are exclusive", what).
			Hintf("keep schema, or content where the value is a document such as JSON")
	}
}
