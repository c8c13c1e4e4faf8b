package resilience

import (
	"regexp"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// Section 9 of the language. Of it, only streams have settings in package policy yet.

var pagesObject = &object{
	fields: []field{
		{"items", expression{response: true}},
		{"next", nextShape{}},
		{"param", expression{}},
		{"more", expression{response: true}},
		{"maxPages", integer{1, manySlots}},
	},
}

var pollObject = &object{
	fields: []field{
		{"operationId", operationName},
		{"parameters", list{item: parameterObject}},
		{"successCriteria", list{item: criterionShape{}, some: true}},
		{"failureCriteria", list{item: criterionShape{}}},
		{"interval", duration{}},
		{"maxInterval", duration{}},
		{"timeout", duration{}},
		{"result", expression{response: true}},
		{"cancel", operationName},
	},
}

var streamObject = &object{
	fields: []field{
		{"first", duration{}},
		{"retry", choice{words: []string{"before-first-event", "never"}}},
		{"resume", &object{
			fields: []field{{"param", expression{}}, {"from", expression{response: true}}},
			needs:  []string{"param"},
		}},
		{"error", &object{fields: []field{{"pointer", pointerText}}, needs: []string{"pointer"}}},
	},
}

var resumeObject = &object{
	fields: []field{
		{"upload", choice{words: []string{"tus"}}},
		{"download", choice{words: []string{"range"}}},
		{"chunk", size{}},
	},
}

var outboxObject = &object{
	fields: []field{
		{"aggregate", expression{}},
		{"publisher", entryName},
		{"sign", &object{
			fields: []field{{"scheme", choice{words: []string{"standard-webhooks"}}}, {"secret", secretName}},
			needs:  []string{"scheme", "secret"},
		}},
		{"schedule", scheduleShape{}},
		{"jitter", decimal{low: 0, high: 1}},
		{"maxAttempts", integer{1, 1000}},
		{"onDead", choice{words: []string{"park", "skip"}}},
		{"batch", integer{1, 10_000}},
		{"poll", duration{}},
		{"lease", duration{}},
	},
}

var consumerObject = &object{
	fields: []field{
		{"verify", &object{
			fields: []field{
				{"scheme", choice{words: []string{"standard-webhooks", "stripe", "github", "hmac-sha256"}}},
				{"secrets", list{item: secretName, some: true}},
				{"tolerance", duration{}},
			},
			needs: []string{"scheme", "secrets"},
		}},
		{"dedupe", &object{
			fields: []field{{"id", expression{}}, {"ttl", duration{}}, {"within", choice{words: []string{"transaction", "lease"}}}},
			needs:  []string{"id"},
		}},
		{"order", &object{fields: []field{{"by", expression{}}, {"seq", expression{}}}, needs: []string{"by", "seq"}}},
		{"maxAttempts", integer{1, 1000}},
		{"onPoison", choice{words: []string{"dead-letter", "skip"}}},
	},
}

var secretName = text{"the name of a secret", fitsSecretName}

// nextShape is where the next page is named: an expression, or a header of links.
type nextShape struct{}

var linkObject = &object{
	fields: []field{{"header", headerName}, {"rel", text{"a relation of links", fitsToken}}},
	needs:  []string{"header"},
}

func (nextShape) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Object) {
		return linkObject.check(c, n, path)
	}
	return expression{response: true}.check(c, n, path)
}

// scheduleShape is when a delivery is tried again: a schedule's name, or the waits.
type scheduleShape struct{}

func (scheduleShape) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Array) {
		return list{item: duration{zero: true}, some: true}.check(c, n, path)
	}
	return choice{words: []string{"standard-webhooks"}}.check(c, n, path)
}

// criterionShape is a condition, by Arazzo.
type criterionShape struct{}

var criterionObject = &object{
	fields: []field{
		{"condition", text{"a condition such as $statusCode == 200", fitsLine}},
		{"context", flowShape{}},
		{"type", choice{words: []string{"simple", "regex"}}},
	},
	needs: []string{"condition"},
}

func (criterionShape) check(c *checker, n *load.Node, path string) bool {
	if !criterionObject.check(c, n, path) {
		return false
	}
	at := n.Get("condition")
	if kind, _ := n.Get("type").Str(); kind == "regex" {
		if n.Get("context") == nil {
			return c.fail(n, "resilience-missing", "%s needs context: the value that the pattern is for", path)
		}
		if _, err := regexp.Compile(at.Text); err != nil {
			return c.fail(at, "resilience-text", "%s.condition %s is no regular expression of RE2", path, shown(at.Text))
		}
		return true
	}
	if _, err := parseCondition(at.Text); err != nil {
		return c.fail(at, "resilience-condition", "%s.condition %s: %s", path, shown(at.Text), err)
	}
	return true
}

// parameterObject gives a parameter of an operation its value, by Arazzo.
var parameterObject = &object{
	fields: []field{
		{"name", parameterName},
		{"in", choice{words: []string{"path", "query", "header", "cookie", "querystring"}}},
		{"value", flowValue{}},
	},
	needs: []string{"name", "value"},
}

// flowShape is an expression of a flow, which may name inputs and steps.
type flowShape struct{}

func (flowShape) check(c *checker, n *load.Node, path string) bool {
	text, ok := n.Str()
	if !ok {
		return c.wrongType(n, path, "an expression such as $inputs.orderId")
	}
	if _, ok := parseFlowExpr(text); !ok {
		return c.fail(n, "resilience-expression", "%s %s is no expression: want one such as $inputs.orderId or $response.body#/id", path, shown(text))
	}
	return true
}

// flowValue is any value in which texts may be expressions, or hold them in braces.
type flowValue struct{}

func (flowValue) check(c *checker, n *load.Node, path string) bool {
	all := true
	eachFlowText(n, func(n *load.Node) {
		if _, err := flowExprs(n.Text); err != nil {
			all = c.fail(n, "resilience-expression", "%s %s: %s", path, shown(n.Text), err)
		}
	})
	return all
}
