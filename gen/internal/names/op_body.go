package names

import "github.com/holdfast-go/holdfast/gen/internal/ir"

// nameBodies names the struct of a request body that has several media types, and its
// fields: one for each. The function that finds the address of a callback is named
// with them.
func (t *Table) nameBodies(g group) {
	var layer []*claim
	for _, op := range g.ops {
		base := t.ops[op].Base
		if g.parent[op] != nil {
			layer = append(layer, &claim{
				key: base + "\x00url", word: base, forms: []string{base + "URL", base + "CallbackURL"},
				give: func(name string) { t.urls[op] = name },
			})
		}
		if op.Body == nil || len(op.Body.Contents) < 2 {
			continue
		}
		layer = append(layer, &claim{
			key: base + "\x00content", word: base, forms: []string{base + "RequestBody", base + "RequestContent"},
			give: func(name string) { t.bodies[op] = name },
		})
		t.nameMedia("", op.Body.Contents)
	}
	t.pkg.settle(layer)
}

// nameMedia names the fields for the media types of one body.
func (t *Table) nameMedia(prefix string, contents []*ir.Content) {
	s := newScope(&t.conflicts)
	s.reserve(methods...)
	var layer []*claim
	for _, c := range contents {
		word := prefix + Media(c.MediaType)
		if c.Kind == ir.ContentMultipart {
			word = prefix + "Multipart" // beside a urlencoded form
		}
		layer = append(layer, &claim{
			key: c.MediaType, word: word, forms: []string{Exported(word), Exported(prefix, c.MediaType)},
			give: func(name string) { t.media[c] = name },
		})
		if n := t.parts[c]; n != nil {
			layer = append(layer, &claim{
				key: c.MediaType + "\x00parts", word: word, forms: []string{Exported(word) + PartHeaders, Exported(prefix, c.MediaType) + PartHeaders},
				give: func(name string) { n.beside = name },
			})
		}
	}
	s.settle(layer)
}

// Body is the struct of a request body that has several media types, empty for any
// other.
func (t *Table) Body(op *ir.Operation) string { return t.bodies[op] }

// MediaField is the field for one of several media types: JSON in the struct of a
// request body, BodyJSON in that of a failure.
func (t *Table) MediaField(c *ir.Content) string { return t.media[c] }

// CallbackURL is the function that finds the address of a callback; empty for any
// other operation.
func (t *Table) CallbackURL(op *ir.Operation) string { return t.urls[op] }
