package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// streamContent lowers a body that is read item by item. From 3.2 on itemSchema
// describes an item; before, documents describe the item by schema, or the whole
// body as an array of items.
func (l *lowerer) streamContent(c *ir.Content, schema, item *load.Node, place []string) {
	word := "Item"
	if c.Kind == ir.ContentEvents {
		word = "Event"
	}
	place = append(slices.Clone(place[:len(place)-1]), word)
	if item == nil {
		item = schema
		if whole := l.schemaBehind(schema); schemaType(whole) == "array" && whole.Has("items") {
			item = whole.Get("items")
		}
	}
	if item == nil {
		return
	}
	if c.Kind == ir.ContentLines {
		c.Item = l.use(item, place)
		return
	}
	l.eventItem(c, item, place)
}

// eventItem lowers one event of an event stream. Its schema describes either the
// data of events, or the event as a whole: an object of event, data, id and retry.
func (l *lowerer) eventItem(c *ir.Content, item *load.Node, place []string) {
	env := envelope{data: map[string]bool{}}
	l.envelope(item, &env, 0)
	if env.isEvent() {
		if data := l.onlyData(item); data != nil {
			c.Item = l.use(data, place)
			return
		}
		c.Item = l.use(item, place)
		c.Event = ir.EventObject
		if env.data["string"] && len(env.data) == 1 {
			c.Event = ir.EventText
		}
		return
	}
	if l.shapeOf(item) == ir.KindScalar && schemaType(l.schemaBehind(item)) == "string" {
		return // text, as without a schema
	}
	c.Item = l.use(item, place)
}

// eventFields are the fields of an event of an event stream.
var eventFields = []string{"event", "data", "id", "retry", "comment"}

// envelope is what the properties of an item's schema say, over all its branches.
type envelope struct {
	fields, others int
	data           map[string]bool // types of the property data
}

// isEvent reports whether the item is an event as a whole: data and one of its
// companions, and nothing that an event does not have.
func (e envelope) isEvent() bool { return e.others == 0 && e.fields > 1 && len(e.data) > 0 }

func (l *lowerer) envelope(schema *load.Node, e *envelope, depth int) {
	n := l.schemaBehind(schema)
	if depth > 8 || !n.Is(load.Object) {
		return
	}
	if props := n.Get("properties"); props.Is(load.Object) {
		for _, m := range props.Members {
			if !slices.Contains(eventFields, m.Key) {
				e.others++
				continue
			}
			e.fields++
			if m.Key == "data" {
				e.data[l.dataType(m.Value)] = true
			}
		}
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		if list := n.Get(key); list.Is(load.Array) {
			for _, branch := range list.Items {
				l.envelope(branch, e, depth+1)
			}
		}
	}
}

// dataType is "string" where data is the text of the event as it is.
func (l *lowerer) dataType(n *load.Node) string {
	n = l.schemaBehind(n)
	switch t := schemaType(n); {
	case t == "" && (n.Has("contentMediaType") || n.Has("contentSchema") || n.Has("const")):
		return "string"
	case t == "" && n.Has("enum"):
		return "string"
	default:
		return t
	}
}

// onlyData is the schema of the data of an event whose other fields say nothing
// more: one object without branches, whose data is JSON.
func (l *lowerer) onlyData(item *load.Node) *load.Node {
	n := l.schemaBehind(item)
	if n.Has("oneOf") || n.Has("anyOf") || n.Has("allOf") {
		return nil
	}
	event := l.schemaBehind(n.Get("properties").Get("event"))
	if event.Has("enum") || event.Has("const") {
		return nil
	}
	data := n.Get("properties").Get("data")
	media, _ := l.schemaBehind(data).Get("contentMediaType").Str()
	if content := l.schemaBehind(data).Get("contentSchema"); content != nil && parseMediaType(media).json() {
		return content
	}
	return nil
}
