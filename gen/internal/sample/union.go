package sample

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// union takes the first variant that gives a value of the union: of a oneOf no other
// variant may take it as well. Where variants are told apart by members that need not
// be there, they are tried again with all of those, and with none at any depth.
func (m *maker) union(t *ir.Type, h hint) *ir.Value {
	for _, full := range []bool{false, true} {
		for i := range t.Union.Variants {
			if v := m.variant(t, i, h, full); v != nil {
				return v
			}
		}
	}
	if m.lean {
		return nil // was so already
	}
	m.lean = true
	defer func() { m.lean = false }()
	for i := range t.Union.Variants {
		if v := m.variant(t, i, h, false); v != nil {
			return v
		}
	}
	return nil
}

// variant makes a value of the i-th variant, if the union then takes it.
func (m *maker) variant(t *ir.Type, i int, h hint, full bool) *ir.Value {
	variants := t.Union.Variants
	if h.n > 0 && m.small(variants) {
		i = (i + h.n) % len(variants) // the next value is that of the next variant
	}
	v := variants[i]
	if full {
		target, _, _ := follow(v.Use)
		if m.full[target] {
			return nil
		}
		m.full[target] = true
		defer delete(m.full, target)
	}
	value := m.use(v.Use, h)
	if value != nil && t.Union.Dispatch == ir.ByDiscriminator {
		value = keyed(t.Union, v, value)
	}
	if value == nil || !m.check.union(t, value, 0) {
		return nil
	}
	return value
}

// small reports whether each variant has one value only, such as a constant.
func (m *maker) small(variants []*ir.Variant) bool {
	return !slices.ContainsFunc(variants, func(v *ir.Variant) bool {
		t, _, only := follow(v.Use)
		return only == nil && t.Kind != ir.KindNull && (t.Kind != ir.KindEnum || len(t.Enum) > 1)
	})
}

// keyed gives an object the member that tells its variant.
func keyed(u *ir.Union, v *ir.Variant, value *ir.Value) *ir.Value {
	if value.Kind != ir.ObjectValue {
		return nil
	}
	key := v.Write
	if key == "" && len(v.Keys) > 0 {
		key = v.Keys[0]
	}
	if key == "" {
		return value // the fallback of a union: any other key, or none
	}
	out := &ir.Value{Kind: ir.ObjectValue, Members: slices.Clone(value.Members)}
	for i := range out.Members {
		m := &out.Members[i]
		if m.Name != u.Property {
			continue
		}
		if !slices.Contains(v.Keys, m.Value.Text) {
			m.Value = str(key)
		}
		return out
	}
	out.Members = append([]ir.MemberValue{{Name: u.Property, Value: str(key)}}, out.Members...)
	return out
}
