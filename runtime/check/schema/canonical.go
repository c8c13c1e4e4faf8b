package schema

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// appendCanonical appends a text that two values share exactly when they are equal as
// JSON Schema has it: numbers by value, members in any order. It is JSON as well, but
// for its numbers.
func appendCanonical(b []byte, v val) []byte {
	switch v.kind() {
	case kindString:
		return jsontree.AppendString(b, v.text())
	case kindNumber:
		return append(b, v.number().Canonical()...)
	case kindArray:
		b = append(b, '[')
		for i, item := range v.all() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, item)
		}
		return append(b, ']')
	case kindObject:
		return appendCanonicalObject(b, v)
	}
	return append(b, v.text()...)
}

// appendCanonicalObject sorts the members; of two with one name the last counts.
func appendCanonicalObject(b []byte, v val) []byte {
	type member struct {
		name  string
		value val
	}
	order := make([]member, 0, v.count())
	for _, m := range v.all() {
		order = append(order, member{m.key(), m})
	}
	slices.SortStableFunc(order, func(x, y member) int { return strings.Compare(x.name, y.name) })
	b = append(b, '{')
	first := true
	for i, m := range order {
		if i+1 < len(order) && order[i+1].name == m.name {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(jsontree.AppendString(b, m.name), ':')
		b = appendCanonical(b, m.value)
	}
	return append(b, '}')
}
