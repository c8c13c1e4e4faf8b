package lower

import (
	"slices"
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// jsonObject writes the members of an object.
type jsonObject struct {
	w     *ruleWriter
	empty bool
}

func (w *ruleWriter) object(members func(*jsonObject)) {
	w.b.WriteByte('{')
	members(&jsonObject{w: w, empty: true})
	w.b.WriteByte('}')
}

// key writes the name of a member, after which its value is to be written.
func (o *jsonObject) key(name string) {
	if !o.empty {
		o.w.b.WriteString(", ")
	}
	o.empty = false
	o.w.text(name)
	o.w.b.WriteString(": ")
}

func (o *jsonObject) raw(name, text string) {
	o.key(name)
	o.w.b.WriteString(text)
}

func (o *jsonObject) str(name, text string) {
	o.key(name)
	o.w.text(text)
}

func (o *jsonObject) size(name string, n *int64) {
	if n != nil {
		o.raw(name, strconv.FormatInt(*n, 10))
	}
}

// text writes a JSON string.
func (w *ruleWriter) text(s string) { w.value(&ir.Value{Kind: ir.StringValue, Text: s}) }

func (w *ruleWriter) value(v *ir.Value) { w.b.WriteString(v.JSON()) }

func (w *ruleWriter) texts(list []string) {
	w.list(len(list), func(i int) { w.text(list[i]) })
}

func (w *ruleWriter) list(n int, item func(i int)) {
	w.b.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.b.WriteString(", ")
		}
		item(i)
	}
	w.b.WriteByte(']')
}

// ref writes the name of the entry for a schema that stands elsewhere.
func (w *ruleWriter) ref(o *jsonObject, key string, n *load.Node, parts portion) {
	name := w.l.entry(n, parts)
	if !slices.Contains(w.refs, name) {
		w.refs = append(w.refs, name)
	}
	o.str(key, name)
}
