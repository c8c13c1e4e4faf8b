package emit

import (
	"encoding/json"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// jsonText is a value of the document as compact JSON, its numbers as they were
// written and its members in their order.
func jsonText(v *ir.Value) string {
	var b strings.Builder
	writeJSON(&b, v)
	return b.String()
}

func writeJSON(b *strings.Builder, v *ir.Value) {
	switch v.Kind {
	case ir.NullValue:
		b.WriteString("null")
	case ir.BoolValue, ir.NumberValue:
		b.WriteString(v.Text)
	case ir.StringValue:
		b.WriteString(quoteJSON(v.Text))
	case ir.ArrayValue:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case ir.ObjectValue:
		b.WriteByte('{')
		for i, m := range v.Members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteJSON(m.Name))
			b.WriteByte(':')
			writeJSON(b, m.Value)
		}
		b.WriteByte('}')
	}
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // no string fails
		return `""`
	}
	return string(b)
}

// maxListed is how many values of an enum a message lists.
const maxListed = 20

// listed is the allowed values of an enum as a message names them.
func listed(values []*ir.EnumValue) string {
	var texts []string
	for _, v := range values {
		if v.Value == nil || v.Value.Kind == ir.NullValue {
			continue
		}
		if len(texts) == maxListed {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, jsonText(v.Value))
	}
	return strings.Join(texts, ", ")
}
