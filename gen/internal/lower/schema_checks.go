package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// mergeChecks adds src to dst: of two bounds the tighter one counts.
func mergeChecks(dst, src *ir.Checks) {
	if src.Minimum != "" {
		order := 1
		if dst.Minimum != "" {
			order = compareNumbers(src.Minimum, dst.Minimum)
		}
		if order > 0 || order == 0 && src.ExclusiveMinimum {
			dst.Minimum, dst.ExclusiveMinimum = src.Minimum, src.ExclusiveMinimum
		}
	}
	if src.Maximum != "" {
		order := -1
		if dst.Maximum != "" {
			order = compareNumbers(src.Maximum, dst.Maximum)
		}
		if order < 0 || order == 0 && src.ExclusiveMaximum {
			dst.Maximum, dst.ExclusiveMaximum = src.Maximum, src.ExclusiveMaximum
		}
	}
	mergeMultiples(dst, src)
	larger(&dst.MinLength, src.MinLength)
	smaller(&dst.MaxLength, src.MaxLength)
	larger(&dst.MinItems, src.MinItems)
	smaller(&dst.MaxItems, src.MaxItems)
	larger(&dst.MinProperties, src.MinProperties)
	smaller(&dst.MaxProperties, src.MaxProperties)
	dst.UniqueItems = dst.UniqueItems || src.UniqueItems
	for _, p := range src.Pattern {
		if !slices.Contains(dst.Pattern, p) {
			dst.Pattern = append(slices.Clone(dst.Pattern), p)
		}
	}
	if src.Format != "" {
		dst.Format = src.Format
	}
	dst.Rules = appendRules(dst.Rules, src.Rules)
}

// mergeMultiples makes one multipleOf of two. When their common multiple is out of
// proportion, the larger one stays: it is the one that refuses more.
func mergeMultiples(dst, src *ir.Checks) {
	switch {
	case src.MultipleOf == "" || src.MultipleOf == dst.MultipleOf:
	case dst.MultipleOf == "":
		dst.MultipleOf = src.MultipleOf
	default:
		both, ok := leastMultiple(dst.MultipleOf, src.MultipleOf)
		if ok {
			dst.MultipleOf = both
		} else if compareNumbers(src.MultipleOf, dst.MultipleOf) > 0 {
			dst.MultipleOf = src.MultipleOf
		}
	}
}

func larger(dst **int64, src *int64) {
	if src != nil && (*dst == nil || *src > **dst) {
		*dst = src
	}
}

func smaller(dst **int64, src *int64) {
	if src != nil && (*dst == nil || *src < **dst) {
		*dst = src
	}
}

// tighten adds the bounds of s to those of a use of the schema core.
func (l *lowerer) tighten(to **ir.Checks, s *shape, core []atom) {
	more := checksFor(&s.checks, l.jsonTypes(core))
	if len(s.checks.Rules) > 0 {
		if more == nil {
			more = &ir.Checks{}
		}
		more.Rules = s.checks.Rules
	}
	if more == nil {
		return
	}
	if *to == nil {
		*to = &ir.Checks{}
	}
	mergeChecks(*to, more)
}

// checksFor is the part of c that says something about values of the given types,
// nil when there is none: in JSON Schema a bound for numbers leaves texts alone. Rules
// are no part of it: see keepRules.
func checksFor(c *ir.Checks, types typeSet) *ir.Checks {
	var out ir.Checks
	if types&(tInteger|tNumber) != 0 {
		out.Minimum, out.ExclusiveMinimum = c.Minimum, c.ExclusiveMinimum
		out.Maximum, out.ExclusiveMaximum = c.Maximum, c.ExclusiveMaximum
		out.MultipleOf = c.MultipleOf
	}
	if types&tString != 0 {
		out.MinLength, out.MaxLength, out.Pattern, out.Format = c.MinLength, c.MaxLength, c.Pattern, c.Format
	}
	if types&tArray != 0 {
		out.MinItems, out.MaxItems, out.UniqueItems = c.MinItems, c.MaxItems, c.UniqueItems
	}
	if types&tObject != 0 {
		out.MinProperties, out.MaxProperties = c.MinProperties, c.MaxProperties
	}
	if checksEmpty(&out) {
		return nil
	}
	return &out
}
