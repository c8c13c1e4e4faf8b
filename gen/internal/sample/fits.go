package sample

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// checker tells whether values are what a schema admits, read as strictly as the
// generated code reads a variant that it tries.
type checker struct {
	dir      Direction
	patterns map[string]*check.Pattern
}

func newChecker(dir Direction) *checker {
	return &checker{dir: dir, patterns: map[string]*check.Pattern{}}
}

// matches reports whether a text matches a pattern. One that cannot be run matches
// everything, here as in the runtime.
func (c *checker) matches(pattern, text string) bool {
	p := c.patterns[pattern]
	if p == nil {
		p = check.Regexp(pattern)
		c.patterns[pattern] = p
	}
	return p.Match(text)
}

// use reports whether a use admits a value.
func (c *checker) use(u *ir.Use, v *ir.Value, depth int) bool {
	if u == nil {
		return true
	}
	if v.Kind == ir.NullValue && nullable(u) {
		return true
	}
	t, checks, only := follow(u)
	if only != nil && !equal(only, v) {
		return false
	}
	return c.typ(t, checks, v, depth+1)
}

// typ reports whether a type that is no alias, with the checks on the way to it,
// admits a value.
func (c *checker) typ(t *ir.Type, checks []*ir.Checks, v *ir.Value, depth int) bool {
	if depth > maxDepth || !c.constraints(t, checks, v) || !keepsRules(checks, v) {
		return false
	}
	switch t.Kind {
	case ir.KindAny:
		return true
	case ir.KindNull:
		return v.Kind == ir.NullValue
	case ir.KindScalar:
		return isScalar(t.Scalar, v)
	case ir.KindBinary:
		return v.Kind == ir.StringValue
	case ir.KindEnum:
		return isListed(t, v) || t.Open && isScalar(t.Scalar, v)
	case ir.KindArray:
		return v.Kind == ir.ArrayValue && c.each(t.Elem, v.Items, depth)
	case ir.KindTuple:
		return c.tuple(t, v, depth)
	case ir.KindMap, ir.KindStruct:
		return c.object(t, v, depth)
	case ir.KindUnion:
		return c.union(t, v, depth)
	}
	return false
}

func isListed(t *ir.Type, v *ir.Value) bool {
	return slices.ContainsFunc(t.Enum, func(e *ir.EnumValue) bool { return e.Value != nil && equal(e.Value, v) })
}

// isScalar reports whether a value can be kept as the scalar.
func isScalar(s ir.Scalar, v *ir.Value) bool {
	switch {
	case s == ir.Bool:
		return v.Kind == ir.BoolValue
	case isNumber(s):
		return isOfNumber(s, v)
	case v.Kind != ir.StringValue:
		return false
	}
	format := map[ir.Scalar]check.Format{
		ir.DateTime: check.FormatDateTime, ir.Date: check.FormatDate, ir.Time: check.FormatTime,
		ir.Duration: check.FormatDuration, ir.UUID: check.FormatUUID,
		ir.IPv4: check.FormatIPv4, ir.IPv6: check.FormatIPv6, ir.IP: check.FormatIP,
	}[s]
	if s == ir.Bytes {
		_, err := base64.StdEncoding.DecodeString(v.Text)
		return err == nil
	}
	return format.Match(v.Text)
}

func isOfNumber(s ir.Scalar, v *ir.Value) bool {
	if v.Kind != ir.NumberValue {
		return false
	}
	n := value.Number(v.Text)
	if l, ok := limits[s]; ok && isInteger(s) && (n.Compare(value.Number(l[0])) < 0 || n.Compare(value.Number(l[1])) > 0) {
		return false
	}
	if isInteger(s) {
		return n.IsInteger()
	}
	f, err := strconv.ParseFloat(v.Text, bits(s))
	return err == nil && !math.IsInf(f, 0)
}

func bits(s ir.Scalar) int {
	if s == ir.Float32 {
		return 32
	}
	return 64
}

// constraints reports whether a value keeps all checks.
func (c *checker) constraints(t *ir.Type, checks []*ir.Checks, v *ir.Value) bool {
	for _, k := range checks {
		switch v.Kind {
		case ir.StringValue:
			if !c.text(t, k, v.Text) {
				return false
			}
		case ir.NumberValue:
			if !bounded(t.Scalar, k, v.Text) {
				return false
			}
		case ir.ArrayValue:
			if !sized(int64(len(v.Items)), k.MinItems, k.MaxItems) || k.UniqueItems && repeats(v.Items) {
				return false
			}
		case ir.ObjectValue:
			if !sized(int64(len(v.Members)), k.MinProperties, k.MaxProperties) {
				return false
			}
		}
	}
	return true
}

func sized(n int64, least, most *int64) bool {
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

func (c *checker) text(t *ir.Type, k *ir.Checks, s string) bool {
	if t.Kind == ir.KindScalar && t.Scalar != ir.String {
		return true // kept as a type of its own: its text is not checked again
	}
	if !sized(int64(utf8.RuneCountInString(s)), k.MinLength, k.MaxLength) {
		return false
	}
	for _, p := range k.Pattern {
		if !c.matches(p, s) {
			return false
		}
	}
	f, ok := check.ParseFormat(k.Format)
	return !ok || f.Match(s)
}

// bounded reports whether a number keeps its bounds, both as it is written and as the
// float that it becomes.
func bounded(s ir.Scalar, k *ir.Checks, text string) bool {
	if !inBounds(k, value.Number(text)) {
		return false
	}
	if s != ir.Float32 && s != ir.Float64 {
		return true
	}
	f, err := strconv.ParseFloat(text, bits(s))
	if err != nil {
		return false
	}
	kept := value.Number(strconv.FormatFloat(f, 'g', -1, 64))
	return inBounds(&ir.Checks{
		Minimum: k.Minimum, Maximum: k.Maximum, ExclusiveMinimum: k.ExclusiveMinimum, ExclusiveMaximum: k.ExclusiveMaximum,
	}, kept) && (k.MultipleOf == "" || value.FloatIsMultipleOf(f, bits(s), value.Number(k.MultipleOf)))
}

func inBounds(k *ir.Checks, n value.Number) bool {
	if k.Minimum != "" {
		if c := n.Compare(value.Number(k.Minimum)); c < 0 || c == 0 && k.ExclusiveMinimum {
			return false
		}
	}
	if k.Maximum != "" {
		if c := n.Compare(value.Number(k.Maximum)); c > 0 || c == 0 && k.ExclusiveMaximum {
			return false
		}
	}
	return k.MultipleOf == "" || n.IsMultipleOf(value.Number(k.MultipleOf))
}

func (c *checker) each(elem *ir.Use, items []*ir.Value, depth int) bool {
	return !slices.ContainsFunc(items, func(v *ir.Value) bool { return !c.use(elem, v, depth) })
}

func (c *checker) tuple(t *ir.Type, v *ir.Value, depth int) bool {
	if v.Kind != ir.ArrayValue || len(v.Items) < len(t.Tuple) {
		return false
	}
	for i, u := range t.Tuple {
		if !c.use(u, v.Items[i], depth) {
			return false
		}
	}
	rest := v.Items[len(t.Tuple):]
	if t.Elem == nil && t.Closed {
		return len(rest) == 0
	}
	return c.each(t.Elem, rest, depth)
}

// object checks an object against its fields, and every other member against the
// patterns that its name matches, or what is said about the rest.
func (c *checker) object(t *ir.Type, v *ir.Value, depth int) bool {
	if v.Kind != ir.ObjectValue {
		return false
	}
	fields := map[string]*ir.Field{}
	for _, f := range t.Fields {
		fields[f.Name] = f
	}
	seen := map[string]bool{}
	for _, m := range v.Members {
		seen[m.Name] = true
		if f := fields[m.Name]; f != nil {
			if !travels(f, c.dir) || !c.use(f.Use, m.Value, depth) {
				return false
			}
			continue
		}
		if !c.extra(t, m, depth) {
			return false
		}
	}
	for _, f := range t.Fields {
		if f.Required && travels(f, c.dir) && !seen[f.Name] {
			return false
		}
	}
	return true
}

func (c *checker) extra(t *ir.Type, m ir.MemberValue, depth int) bool {
	claimed := false
	for _, p := range t.Patterns {
		if !c.matches(p.Pattern, m.Name) {
			continue
		}
		claimed = true
		if !c.use(p.Use, m.Value, depth) {
			return false
		}
	}
	if claimed {
		return true
	}
	rest := t.Extra
	if t.Kind == ir.KindMap {
		rest = t.Elem
	}
	return !t.Closed && c.use(rest, m.Value, depth)
}

// union reports whether a value is one of a union: one variant that takes it, of an
// anyOf at least one, as of a oneOf in an answer whose variants overlap.
func (c *checker) union(t *ir.Type, v *ir.Value, depth int) bool {
	u := t.Union
	if u.Dispatch == ir.ByDiscriminator {
		variant := chosen(u, v)
		return variant != nil && c.variant(u, variant, v, depth)
	}
	fitting := 0
	for _, variant := range u.Variants {
		if c.use(variant.Use, v, depth) {
			fitting++
		}
	}
	return fitting == 1 || fitting > 1 && (u.AnyOf || u.Overlap && (c.dir == Response || c.dir == Answer))
}

// variant checks an object against its variant. The member that tells the variant need
// not be one of the variant's own.
func (c *checker) variant(u *ir.Union, variant *ir.Variant, v *ir.Value, depth int) bool {
	if c.use(variant.Use, v, depth) {
		return true
	}
	bare := &ir.Value{Kind: v.Kind, Members: slices.DeleteFunc(slices.Clone(v.Members), func(m ir.MemberValue) bool {
		return m.Name == u.Property
	})}
	return c.use(variant.Use, bare, depth)
}

// chosen is the variant that an object's discriminator names.
func chosen(u *ir.Union, v *ir.Value) *ir.Variant {
	if v.Kind != ir.ObjectValue {
		return nil
	}
	for _, m := range v.Members {
		if m.Name != u.Property || m.Value.Kind != ir.StringValue {
			continue
		}
		for _, variant := range u.Variants {
			if slices.Contains(variant.Keys, m.Value.Text) {
				return variant
			}
		}
	}
	return u.Fallback
}

// equal compares two JSON values; the order of members does not count.
func equal(a, b *ir.Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case ir.NumberValue:
		return value.Number(a.Text).Compare(value.Number(b.Text)) == 0
	case ir.ArrayValue:
		return slices.EqualFunc(a.Items, b.Items, equal)
	case ir.ObjectValue:
		return len(a.Members) == len(b.Members) && !slices.ContainsFunc(a.Members, func(m ir.MemberValue) bool {
			return !slices.ContainsFunc(b.Members, func(n ir.MemberValue) bool { return m.Name == n.Name && equal(m.Value, n.Value) })
		})
	}
	return a.Text == b.Text
}

func contains(items []*ir.Value, v *ir.Value) bool {
	return slices.ContainsFunc(items, func(w *ir.Value) bool { return equal(v, w) })
}

func repeats(items []*ir.Value) bool {
	for i, v := range items {
		if contains(items[:i], v) {
			return true
		}
	}
	return false
}
