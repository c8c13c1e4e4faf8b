package resilience

import (
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// anything is any value of the user's.
type anything struct{}

func (anything) check(*checker, *load.Node, string) bool { return true }

// yes is true: a thing that is named to be there.
type yes struct{}

func (yes) check(c *checker, n *load.Node, path string) bool {
	if v, ok := n.Bool(); !ok || !v {
		return c.wrongType(n, path, "true")
	}
	return true
}

// numbers is one of several numbers.
type numbers []int64

func (s numbers) check(c *checker, n *load.Node, path string) bool {
	words := make([]string, len(s))
	for i, number := range s {
		if v, ok := n.Int64(); ok && n.Is(load.Number) && v == number {
			return true
		}
		words[i] = strconv.FormatInt(number, 10)
	}
	if !n.Is(load.Number) {
		return c.wrongType(n, path, "one of "+either(words))
	}
	written, _ := n.Written()
	return c.fail(n, "resilience-range", "%s %s is out of range: want %s", path, cut(written), either(words))
}

// funcObject names a function that the constructor is given.
var funcObject = &object{fields: []field{{"func", entryName}}, needs: []string{"func"}}

// funcShape is an object that names a function.
type funcShape struct{}

func (funcShape) check(c *checker, n *load.Node, path string) bool {
	return funcObject.check(c, n, path)
}

// valueShape is a value of the request: an expression, or the name of a function.
type valueShape struct{}

func (valueShape) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Object) {
		return funcShape{}.check(c, n, path)
	}
	return expression{}.check(c, n, path)
}

// costObject is a price that is known afterwards: estimated, then corrected.
var costObject = &object{
	fields: []field{{"estimate", estimateShape{}}, {"actual", expression{response: true}}},
	needs:  []string{"estimate", "actual"},
}

// estimateShape is a number or the name of a function.
type estimateShape struct{}

func (estimateShape) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Object) {
		return funcShape{}.check(c, n, path)
	}
	return integer{1, manyUnits}.check(c, n, path)
}

// costShape is what a call takes from a bucket.
type costShape struct{}

func (costShape) check(c *checker, n *load.Node, path string) bool {
	switch {
	case n.Is(load.Number):
		return integer{1, manyUnits}.check(c, n, path)
	case n.Is(load.String):
		return expression{}.check(c, n, path)
	case n.Is(load.Object):
		return costObject.check(c, n, path)
	}
	return c.wrongType(n, path, "a whole number from 1 on, an expression, or estimate and actual")
}

// tierShape is the name of a rate limit's tier.
type tierShape struct{}

func (tierShape) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.String) {
		return c.wrongType(n, path, "the name of a tier")
	}
	return c.preset(primitiveOf("rateLimit"), n, path)
}

// quantileShape is a time, or a quantile of the observed ones: p95.
type quantileShape struct{}

func (quantileShape) check(c *checker, n *load.Node, path string) bool {
	text, ok := n.Str()
	if ok && strings.HasPrefix(text, "p") {
		if _, ok := policy.ParseQuantile(text); !ok {
			return c.fail(n, "resilience-range", "%s %s is no percentile: want one from p50 to p99, or p991 to p999", path, shown(text))
		}
		return true
	}
	return duration{}.check(c, n, path)
}

// templateShape is text with expressions in braces.
type templateShape struct{ response bool }

func (s templateShape) check(c *checker, n *load.Node, path string) bool {
	text, ok := n.Str()
	if !ok {
		return c.wrongType(n, path, "text such as account/{$request.body#/id}")
	}
	t, err := policy.ParseTemplate(text)
	if err != nil || t.IsZero() {
		return c.fail(n, "resilience-expression", "%s %s is no text with expressions in braces: want one such as account/{$request.body#/id}", path, shown(text))
	}
	for _, p := range t.Parts {
		if !s.response && ofResponse(p.Expr) {
			return c.fail(n, "resilience-expression", "%s %s is not known before the call: want a value of the request", path, shown(p.Expr.String()))
		}
		if !fitsTemplateText(p.Text) {
			return c.fail(n, "resilience-text", "%s %s holds control characters", path, shown(text))
		}
	}
	return true
}

func fitsTemplateText(s string) bool { return s == "" || fitsLine(s) }
