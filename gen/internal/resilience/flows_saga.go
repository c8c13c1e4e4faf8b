package resilience

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var sagaObject = &object{
	fields: []field{
		{"id", flowShape{}},
		{"inputs", schemaShape{}},
		{"timeout", duration{}},
		{"steps", list{item: stepObject, some: true}},
	},
	needs: []string{"id", "steps"},
}

var bodyObject = &object{
	fields: []field{{"payload", flowValue{}}, {"contentType", text{"a media type", fitsLine}}},
}

var stepObject = &object{
	fields: []field{
		{"stepId", text{"letters, digits, dashes and underscores", fitsStep}},
		{"operationId", operationName},
		{"parameters", list{item: parameterObject}},
		{"requestBody", bodyObject},
		{"successCriteria", list{item: criterionShape{}}},
		{"outputs", mapping{text{"letters, digits, dots, dashes and underscores", fitsOutput}, flowShape{}}},
		{"retry", stepRetry{}},
		{"pivot", flag{}},
		{"compensate", compensateShape{}},
	},
	needs: []string{"stepId", "operationId"},
}

var compensateObject = &object{
	fields: []field{{"operationId", operationName}, {"parameters", list{item: parameterObject}}, {"requestBody", bodyObject}},
	needs:  []string{"operationId"},
}

func fitsOutput(s string) bool { return fitsName(s) && !strings.Contains(s, "/") }

// compensateShape is what undoes a step, or false for nothing.
type compensateShape struct{}

func (compensateShape) check(c *checker, n *load.Node, path string) bool {
	if off, ok := n.Bool(); ok && !off {
		return true
	}
	return compensateObject.check(c, n, path)
}

// stepRetry is the retry of a step: a preset, or settings.
type stepRetry struct{}

func (stepRetry) check(c *checker, n *load.Node, path string) bool {
	p := primitiveOf("retry")
	switch {
	case n.Is(load.String):
		return c.preset(p, n, path)
	case n.Is(load.Object):
		return c.settings(p, n, path)
	case n.Is(load.Bool):
		return true
	}
	return c.wrongType(n, path, "a mapping, the name of a preset, true or false")
}

// schemaShape is a schema: what is in it is the document's language, not this one.
type schemaShape struct{}

func (schemaShape) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Bool) {
		return true
	}
	if !n.Is(load.Object) {
		return c.wrongType(n, path, "a schema")
	}
	return true
}

// saga is one saga while its expressions are looked up.
type saga struct {
	*merger
	path   string
	inputs *load.Node // nil where they are not known
	// outputs are those of the steps so far, by step.
	outputs map[string][]string
	ids     []string
	pivot   *load.Node
}

// sagas checks the sagas of a root object.
func (m *merger) sagas(n *load.Node, path string) {
	if !(mapping{entryName, sagaObject}).check(&m.checker, n, path) {
		return
	}
	for _, e := range n.Members {
		if skipped(e.Key) || !e.Value.Is(load.Object) {
			continue
		}
		s := &saga{merger: m, path: path + "." + e.Key, inputs: m.schemaAt(e.Value.Get("inputs")), outputs: map[string][]string{}}
		s.text(e.Value.Get("id"), s.path+".id", nil)
		for i, step := range e.Value.Get("steps").Items {
			s.step(step, s.path+".steps["+strconv.Itoa(i)+"]")
		}
	}
}

// maxRefs bounds references of a schema to references.
const maxRefs = 20

// schemaAt is a schema behind its references within the document; nil where it stands
// elsewhere, and for none.
func (m *merger) schemaAt(n *load.Node) *load.Node {
	for range maxRefs {
		ref, ok := n.Get("$ref").Str()
		if !ok {
			return n
		}
		pointer, local := strings.CutPrefix(ref, "#")
		if !local || n.File != m.file {
			return nil
		}
		n = m.file.Root.At(pointer)
	}
	return nil
}

func (s *saga) step(n *load.Node, path string) {
	id := n.Get("stepId")
	if _, twice := s.outputs[id.Text]; twice {
		s.fail(id, "resilience-name", "%s.stepId %s is that of a step before", path, shown(id.Text))
		return
	}
	op := s.knows(n.Get("operationId"), path+".operationId")
	s.call(n, path, op)
	var names []string
	if outputs := n.Get("outputs"); outputs != nil {
		for _, m := range outputs.Members {
			if skipped(m.Key) || !m.Value.Is(load.String) {
				continue
			}
			names = append(names, m.Key)
			s.text(m.Value, path+".outputs."+m.Key, op)
			s.secretOutput(m.Value, path+".outputs."+m.Key, op)
		}
	}
	for i, c := range items(n.Get("successCriteria")) {
		for _, e := range criterionExprs(c) {
			s.expr(c.Get("condition"), path+".successCriteria["+strconv.Itoa(i)+"].condition", e, op)
		}
	}
	s.outputs[id.Text] = names
	s.ids = append(s.ids, id.Text)
	if on, _ := n.Get("pivot").Bool(); on {
		if s.pivot != nil {
			s.list.Error(n.Get("pivot").Pos(), "resilience-conflict", n.Get("pivot").Pointer(), "%s.pivot: a saga has one point of no return", path).
				At(s.pivot.Pos(), "the other stands here")
		}
		s.pivot = n.Get("pivot")
	}
	// What undoes a step knows what the step has given.
	if c := n.Get("compensate"); c.Is(load.Object) {
		s.call(c, path+".compensate", s.knows(c.Get("operationId"), path+".compensate.operationId"))
	}
}

// call checks what a step gives to its operation, nil for one that is not known.
func (s *saga) call(n *load.Node, path string, op *operation) {
	for i, p := range items(n.Get("parameters")) {
		at := path + ".parameters[" + strconv.Itoa(i) + "]"
		if op != nil {
			if reason := op.hasParameter(p); reason != "" {
				s.fail(p, "resilience-expression", "%s: %s: %s", at, op.name(), reason)
			}
		}
		s.texts(p.Get("value"), at+".value")
	}
	body := n.At("/requestBody/payload")
	if op != nil && n.Has("requestBody") && op.op.Body == nil {
		s.fail(n.Get("requestBody"), "resilience-expression", "%s.requestBody: %s has no body", path, op.name())
	}
	s.texts(body, path+".requestBody.payload")
}

// texts looks up the expressions in a value that is sent: nothing of the call is known
// before it.
func (s *saga) texts(n *load.Node, path string) {
	eachFlowText(n, func(n *load.Node) {
		exprs, _ := flowExprs(n.Text)
		for _, e := range exprs {
			if !e.call.IsZero() {
				s.fail(n, "resilience-expression", "%s %s is not known before the call: want $inputs.NAME or $steps.ID.outputs.NAME", path, shown(e.text))
				continue
			}
			s.expr(n, path, e, nil)
		}
	})
}

// text looks up one expression.
func (s *saga) text(n *load.Node, path string, op *operation) {
	if e, ok := parseFlowExpr(n.Text); ok {
		s.expr(n, path, e, op)
	}
}

// expr reports an expression that names what is not there. op has the call that it is
// about, nil for none or for one that is not known.
func (s *saga) expr(n *load.Node, path string, e flowExpr, op *operation) {
	reason := ""
	switch {
	case e.input != "":
		reason = s.input(e.input)
	case e.step != "":
		reason = s.output(e.step, e.output)
	case op != nil:
		reason = op.resolve(use{expr: e.call, side: clientSide})
	}
	if reason != "" {
		s.fail(n, "resilience-expression", "%s %s: %s", path, shown(e.text), reason)
	}
}

// input says why there is no such input, or why it may not be one.
func (s *saga) input(name string) string {
	properties := s.inputs.Get("properties")
	if properties == nil {
		return ""
	}
	p := s.schemaAt(properties.Get(name))
	if !properties.Has(name) {
		var have []string
		for _, m := range properties.Members {
			have = append(have, m.Key)
		}
		if extra := s.inputs.Get("additionalProperties"); extra != nil && !extra.Is(load.Bool) {
			return ""
		}
		return missing("the saga has no input "+shown(name), name, have)
	}
	if only, _ := p.Get("writeOnly").Bool(); only {
		return "it is writeOnly, and the log keeps inputs"
	}
	if format, _ := p.Get("format").Str(); format == "password" {
		return "it is a password, and the log keeps inputs"
	}
	return ""
}

// output says why no step before has given such an output.
func (s *saga) output(step, name string) string {
	have, ok := s.outputs[step]
	if !ok {
		return missing("there is no step "+shown(step)+" before it", step, s.ids)
	}
	if slices.Contains(have, name) {
		return ""
	}
	return missing("the step "+step+" has no output "+shown(name), name, have)
}

// secretOutput reports an output that holds what must not be kept.
func (s *saga) secretOutput(n *load.Node, path string, op *operation) {
	e, ok := parseFlowExpr(n.Text)
	if !ok || op == nil {
		return
	}
	names := op.secretsAt(e.call)
	if e.call.Source == policy.FromResponseBody {
		for _, r := range successes(op.op) {
			names = append(names, secretsInContents(r.Contents, e.call.Name)...)
		}
	}
	if len(names) > 0 {
		s.fail(n, "resilience-secret", "%s %s holds what must not be kept, writeOnly values or passwords: %s", path, shown(n.Text), several(names))
	}
}
