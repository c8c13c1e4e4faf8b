package resilience

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// condition is a simple condition of Arazzo, of which only the expressions are kept:
// what compares them acts where it runs.
//
//	$statusCode == 200 && ($response.body#/status == 'done' || !$response.body#/open)
type condition struct {
	rest  string
	depth int
	exprs []flowExpr
}

// maxConditionDepth bounds how deep a condition may be nested.
const maxConditionDepth = 50

// parseCondition reads a condition and gives its expressions.
func parseCondition(text string) ([]flowExpr, error) {
	c := &condition{rest: text}
	if err := c.any(); err != nil {
		return nil, err
	}
	if c.space(); c.rest != "" {
		return nil, fmt.Errorf("%s is left over", shown(c.rest))
	}
	if len(c.exprs) == 0 {
		return nil, errors.New("it names no value of the call, so it is always the same")
	}
	return c.exprs, nil
}

func (c *condition) space() { c.rest = strings.TrimLeft(c.rest, " \t") }

// take takes a token where it comes next.
func (c *condition) take(token string) bool {
	c.space()
	rest, ok := strings.CutPrefix(c.rest, token)
	if ok {
		c.rest = rest
	}
	return ok
}

func (c *condition) any() error {
	for {
		if err := c.every(); err != nil {
			return err
		}
		if !c.take("||") {
			return nil
		}
	}
}

func (c *condition) every() error {
	for {
		if err := c.one(); err != nil {
			return err
		}
		if !c.take("&&") {
			return nil
		}
	}
}

// comparisons are taken the longer ones first.
var comparisons = []string{"==", "!=", "<=", ">=", "<", ">"}

func (c *condition) one() error {
	if c.depth++; c.depth > maxConditionDepth {
		return errors.New("it is nested too deep")
	}
	defer func() { c.depth-- }()
	c.space()
	if strings.HasPrefix(c.rest, "!") && !strings.HasPrefix(c.rest, "!=") {
		c.rest = c.rest[1:]
		return c.one()
	}
	if c.take("(") {
		if err := c.any(); err != nil {
			return err
		}
		if !c.take(")") {
			return errors.New("a bracket has no other half")
		}
		return nil
	}
	if err := c.operand(); err != nil {
		return err
	}
	if slices.ContainsFunc(comparisons, c.take) {
		return c.operand()
	}
	return nil
}

// operand is an expression, a number, a text in single quotes, true, false or null.
func (c *condition) operand() error {
	c.space()
	switch {
	case c.rest == "":
		return errors.New("a value is missing at its end")
	case c.rest[0] == '\'':
		return c.quoted()
	}
	end := strings.IndexAny(c.rest, " \t()=!<>&|")
	if end < 0 {
		end = len(c.rest)
	}
	word := c.rest[:end]
	c.rest = c.rest[end:]
	switch {
	case word == "":
		return fmt.Errorf("a value is missing before %s", shown(c.rest))
	case word[0] == '$':
		e, ok := parseFlowExpr(word)
		if !ok {
			return fmt.Errorf("%s is no expression", shown(word))
		}
		c.exprs = append(c.exprs, e)
		return nil
	case word == "true" || word == "false" || word == "null":
		return nil
	}
	if _, err := strconv.ParseFloat(word, 64); err != nil {
		return fmt.Errorf("%s is neither an expression nor a number, and texts stand in single quotes", shown(word))
	}
	return nil
}

// quoted is a text in single quotes, in which a quote is written twice.
func (c *condition) quoted() error {
	rest := c.rest[1:]
	for {
		i := strings.IndexByte(rest, '\'')
		if i < 0 {
			return errors.New("a quote has no other half")
		}
		if rest = rest[i+1:]; !strings.HasPrefix(rest, "'") {
			c.rest = rest
			return nil
		}
		rest = rest[1:]
	}
}
