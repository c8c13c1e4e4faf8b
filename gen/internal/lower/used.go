package lower

import "github.com/holdfast-go/holdfast/gen/internal/ir"

// dropUnused removes the declared types that were written in place and that nothing
// leads to: those of an operation that was left out, or the union of a form whose
// alternatives became one struct. Components stay.
func (l *lowerer) dropUnused() {
	u := used{}
	for _, t := range l.api.Types {
		if t.Origin == ir.Component {
			u.typ(t)
		}
	}
	for _, op := range l.api.Operations {
		u.operation(op)
	}
	for _, op := range l.api.Webhooks {
		u.operation(op)
	}
	kept := l.api.Types[:0]
	for _, t := range l.api.Types {
		if u[t] {
			kept = append(kept, t)
		}
	}
	clear(l.api.Types[len(kept):])
	l.api.Types = kept
}

// used are the types that have been met.
type used map[*ir.Type]bool

func (u used) operation(op *ir.Operation) {
	u.params(op.Params)
	if op.Body != nil {
		u.contents(op.Body.Contents)
	}
	for _, r := range op.Responses {
		u.params(r.Headers)
		u.contents(r.Contents)
	}
	for _, c := range op.Callbacks {
		u.operation(c.Operation)
	}
}

func (u used) params(params []*ir.Param) {
	for _, p := range params {
		u.use(p.Use)
	}
}

func (u used) contents(contents []*ir.Content) {
	for _, c := range contents {
		u.use(c.Use)
		u.use(c.Item)
		for _, p := range c.Parts {
			u.use(p.Field.Use)
			u.params(p.Headers)
		}
	}
}

func (u used) use(use *ir.Use) {
	if use != nil {
		u.typ(use.Type)
	}
}

// typ visits a type and all that it leads to. It keeps its own stack: types refer to
// each other as deeply as the document likes.
func (u used) typ(t *ir.Type) {
	stack := []*ir.Type{t}
	push := func(use *ir.Use) {
		if use != nil && use.Type != nil && !u[use.Type] {
			u[use.Type] = true
			stack = append(stack, use.Type)
		}
	}
	if t == nil || u[t] {
		return
	}
	u[t] = true
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		push(t.Elem)
		push(t.Extra)
		push(t.Target)
		for _, use := range t.Tuple {
			push(use)
		}
		for _, f := range t.Fields {
			push(f.Use)
		}
		for _, p := range t.Patterns {
			push(p.Use)
		}
		if t.Union != nil {
			for _, v := range t.Union.Variants {
				push(v.Use)
			}
			if t.Union.Fallback != nil {
				push(t.Union.Fallback.Use)
			}
		}
	}
}
