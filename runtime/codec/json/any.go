package json

// Any reads any value: map[string]any, []any, string, bool, value.Number for
// every number, and nil for null.
func (d *Decoder) Any() any {
	switch d.PeekKind() {
	case KindObject:
		m := map[string]any{}
		for d.Object(); d.NextKey(); {
			key := d.Key()
			m[key] = d.Any()
		}
		return m
	case KindArray:
		list := []any{}
		for d.Array(); d.NextItem(); {
			list = append(list, d.Any())
		}
		return list
	case KindString:
		return d.String()
	case KindNumber:
		return d.Number()
	case KindBool:
		return d.Bool()
	default:
		if !d.Null() {
			d.Mismatch("a value")
		}
		return nil
	}
}
