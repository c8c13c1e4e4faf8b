package lint

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// maxAnswer bounds the sizes that are computed, so that products cannot overflow.
const maxAnswer = int64(1) << 40

// largestAnswer is what the document says a success may have in bytes, as far as it
// says so: lengths without a bound count as nothing.
func largestAnswer(op *ir.Operation) int64 {
	var most int64
	for _, r := range op.Responses {
		if !strings.HasPrefix(r.Status, "2") {
			continue
		}
		for _, c := range r.Contents {
			s := sizer{open: map[*ir.Type]bool{}}
			most = max(most, s.use(c.Use))
		}
	}
	return most
}

// sizer adds up the largest JSON text of a type. A type inside itself counts once.
type sizer struct{ open map[*ir.Type]bool }

func (s *sizer) use(u *ir.Use) int64 {
	if u == nil || u.Type == nil || s.open[u.Type] {
		return 0
	}
	t := u.Type
	s.open[t] = true
	defer delete(s.open, t)
	switch t.Kind {
	case ir.KindAlias:
		return s.use(t.Target)
	case ir.KindScalar, ir.KindEnum:
		return longest(t.Checks, u.Checks)
	case ir.KindArray, ir.KindMap:
		return min(maxAnswer, most(t.Checks, u.Checks)*min(s.use(t.Elem), maxAnswer>>20))
	case ir.KindStruct:
		var sum int64
		for _, f := range t.Fields {
			sum = min(maxAnswer, sum+int64(len(f.Name))+s.use(f.Use))
		}
		return sum
	case ir.KindUnion:
		var largest int64
		for _, v := range t.Union.Variants {
			largest = max(largest, s.use(v.Use))
		}
		return largest
	}
	return 0
}

// longest is the bound on a text, zero without one.
func longest(checks ...*ir.Checks) int64 {
	var n int64
	for _, c := range checks {
		if c != nil && c.MaxLength != nil {
			n = min(max(n, *c.MaxLength), maxAnswer)
		}
	}
	return n
}

// most is the bound on the elements of a list or the members of a map.
func most(checks ...*ir.Checks) int64 {
	var n int64
	for _, c := range checks {
		if c == nil {
			continue
		}
		for _, bound := range []*int64{c.MaxItems, c.MaxProperties} {
			if bound != nil {
				n = min(max(n, *bound), 1<<20)
			}
		}
	}
	return n
}
