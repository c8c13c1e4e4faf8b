package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// body lowers the request body of an operation, nil when it has none.
func (l *lowerer) body(s *scope) *ir.Body {
	m, ok := s.node.Member("requestBody")
	if !ok {
		return nil
	}
	what := s.where + ": requestBody"
	ref := l.follow(m.Value, requestBodyObject)
	n := ref.node
	if n == nil {
		return nil
	}
	if n.Kind == load.Null {
		l.list.Repair(m.Pos(), "wrong-type", n.Pointer(), "%s must be a mapping, got null: taken as absent", what)
		return nil
	}
	place := append(slices.Clone(s.place), "Body")
	if ref.component != "" {
		what = "request body " + ref.component
		place = []string{ref.component, "Body"}
	}
	if !l.checkFields(n, what, requestBodyObject) {
		return nil
	}
	b := &ir.Body{Pos: m.Pos(), Doc: l.docOf(n, what, ref), Required: l.flag(n, "required", what, false)}
	content, ok := n.Member("content")
	if !ok || content.Value.Len() == 0 && content.Value.Is(load.Object) {
		l.list.Repair(m.Pos(), "content-missing", n.Pointer(), "%s has no content: taken as no body", what)
		return nil
	}
	if !content.Value.Is(load.Object) {
		l.contentKind(content, what, s.where)
		return nil
	}
	if b.Contents = l.contents(l.container(content.Value, what+": content"), what, place); len(b.Contents) == 0 {
		return nil
	}
	return b
}

// contentKind reports a content that is no mapping.
func (l *lowerer) contentKind(content load.Member, what, where string) {
	d := l.list.Error(content.Pos(), "wrong-type", content.Value.Pointer(),
		"%s.content of %s must be a mapping of media types, got a %s", lastWord(what), where, content.Value.KindName())
	if content.Value.Is(load.Array) {
		d.Hintf("write the media type as a key: content: {application/json: {…}}")
	}
}

// lastWord is the field that a label ends in.
func lastWord(what string) string {
	return what[strings.LastIndexByte(what, ' ')+1:]
}
