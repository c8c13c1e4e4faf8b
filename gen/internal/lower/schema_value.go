package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// value is the JSON value at n.
func (l *lowerer) value(n *load.Node) *ir.Value { return valueOf(n) }

func valueOf(n *load.Node) *ir.Value {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case load.Bool:
		return &ir.Value{Kind: ir.BoolValue, Text: n.Text}
	case load.Number:
		return &ir.Value{Kind: ir.NumberValue, Text: n.Text}
	case load.String:
		return &ir.Value{Kind: ir.StringValue, Text: n.Text}
	case load.Array:
		v := &ir.Value{Kind: ir.ArrayValue}
		for _, item := range n.Items {
			v.Items = append(v.Items, valueOf(item))
		}
		return v
	case load.Object:
		v := &ir.Value{Kind: ir.ObjectValue}
		for _, m := range n.Members {
			v.Members = append(v.Members, ir.MemberValue{Name: m.Key, Value: valueOf(m.Value)})
		}
		return v
	default:
		return &ir.Value{Kind: ir.NullValue}
	}
}

// show is a value of the document for a message: short, strings quoted.
func show(n *load.Node) string { return showValue(valueOf(n)) }

func showValue(v *ir.Value) string {
	switch v.Kind {
	case ir.StringValue:
		return `"` + clip(v.Text) + `"`
	case ir.NumberValue, ir.BoolValue:
		return clip(v.Text)
	case ir.ArrayValue:
		if len(v.Items) == 0 {
			return "[]"
		}
		return "[…]"
	case ir.ObjectValue:
		if len(v.Members) == 0 {
			return "{}"
		}
		return "{…}"
	default:
		return "null"
	}
}

// showEnum lists allowed values, not too many of them.
func showEnum(items []*enumItem) string {
	const most = 10
	var b strings.Builder
	b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == most {
			b.WriteString("…")
			break
		}
		if item.value.Kind == ir.StringValue {
			b.WriteString(clip(item.value.Text))
		} else {
			b.WriteString(showValue(item.value))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// valueKey is the same text for two values that are equal in JSON Schema: 1 and 1.0
// are one value, the order of members does not count.
func valueKey(v *ir.Value) string {
	var b strings.Builder
	writeKey(&b, v)
	return b.String()
}

func writeKey(b *strings.Builder, v *ir.Value) {
	switch v.Kind {
	case ir.NumberValue:
		d, _ := parseDecimal(v.Text)
		if d.negative {
			b.WriteByte('-')
		}
		b.WriteString(d.digits + "e" + strconv.FormatInt(d.exp, 10))
	case ir.ArrayValue:
		b.WriteByte('[')
		for _, item := range v.Items {
			writeKey(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case ir.ObjectValue:
		members := slices.SortedFunc(slices.Values(v.Members), func(x, y ir.MemberValue) int {
			return strings.Compare(x.Name, y.Name)
		})
		b.WriteByte('{')
		for _, m := range members {
			b.WriteString(strconv.Quote(m.Name) + ":")
			writeKey(b, m.Value)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case ir.StringValue:
		b.WriteString(strconv.Quote(v.Text))
	case ir.BoolValue:
		b.WriteString(v.Text)
	default:
		b.WriteString("null")
	}
}

func sameValue(a, b *ir.Value) bool { return valueKey(a) == valueKey(b) }

// valueType is the type of a value in its JSON form.
func valueType(v *ir.Value) typeSet {
	switch v.Kind {
	case ir.BoolValue:
		return tBoolean
	case ir.NumberValue:
		if integral(v.Text) {
			return tInteger
		}
		return tNumber
	case ir.StringValue:
		return tString
	case ir.ArrayValue:
		return tArray
	case ir.ObjectValue:
		return tObject
	default:
		return tNull
	}
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
