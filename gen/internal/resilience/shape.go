package resilience

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// shape says which values may stand at a place of the language.
type shape interface {
	// check reports what is wrong with the node, whose path leads the
	// messages, and returns false then.
	check(c *checker, n *load.Node, path string) bool
}

// duration is a span of time.
type duration struct {
	zero bool // 0s means something here
	none bool // and so does the word none
}

func (s duration) want() string {
	text := "a Go duration such as 5s"
	if s.none {
		text += ", or none"
	}
	return text
}

func (s duration) check(c *checker, n *load.Node, path string) bool {
	text, ok := n.Str()
	switch {
	case n.Is(load.Number):
		written, _ := n.Written()
		return c.fail(n, "resilience-duration", "%s %s has no unit: want %s", path, cut(written), s.want())
	case !ok:
		return c.wrongType(n, path, s.want())
	case s.none && text == "none":
		return true
	}
	d, bad := parseDuration(text)
	if bad == "" && d == 0 && !s.zero {
		bad = "is not above zero"
	}
	if bad != "" {
		return c.fail(n, "resilience-duration", "%s %s %s: want %s", path, shown(text), bad, s.want())
	}
	return true
}

// size is a number of bytes.
type size struct{}

func (size) check(c *checker, n *load.Node, path string) bool {
	const want = "a size in B, KB, MB, KiB, MiB or GiB, such as 1MiB"
	text, ok := n.Str()
	if n.Is(load.Number) {
		written, _ := n.Written()
		return c.fail(n, "resilience-size", "%s %s has no unit: want %s", path, cut(written), want)
	}
	if !ok {
		return c.wrongType(n, path, want)
	}
	if bytes, ok := parseSize(text); !ok || bytes == 0 {
		return c.fail(n, "resilience-size", "%s %s is no size: want %s", path, shown(text), want)
	}
	return true
}

// integer is a whole number, both ends included.
type integer struct{ low, high int64 }

func (s integer) want() string { return fmt.Sprintf("a whole number from %d to %d", s.low, s.high) }

func (s integer) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Number) {
		return c.wrongType(n, path, s.want())
	}
	if v, ok := n.Int64(); !ok || v < s.low || v > s.high {
		written, _ := n.Written()
		return c.fail(n, "resilience-range", "%s %s is out of range: want %s", path, cut(written), s.want())
	}
	return true
}

// decimal is a number, both ends included unless above says that the lower one is
// not.
type decimal struct {
	low, high float64
	above     bool
}

func (s decimal) want() string {
	low := strconv.FormatFloat(s.low, 'g', -1, 64)
	high := strconv.FormatFloat(s.high, 'f', -1, 64)
	if s.above {
		return "a number above " + low + " and up to " + high
	}
	return "a number from " + low + " to " + high
}

func (s decimal) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Number) {
		return c.wrongType(n, path, s.want())
	}
	v, ok := n.Float64()
	// Written so that a value which compares with nothing is refused.
	if !ok || !(v >= s.low && v <= s.high) || s.above && v == s.low {
		written, _ := n.Written()
		return c.fail(n, "resilience-range", "%s %s is out of range: want %s", path, cut(written), s.want())
	}
	return true
}

// flag is true or false.
type flag struct{}

func (flag) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Bool) {
		return c.wrongType(n, path, "true or false")
	}
	return true
}

// choice is one of several words.
type choice struct {
	words []string
	// soon are words of the language that this version does not act on yet.
	soon []string
}

func (s choice) check(c *checker, n *load.Node, path string) bool {
	text, ok := n.Str()
	if !ok {
		return c.wrongType(n, path, "one of "+either(s.words))
	}
	if slices.Contains(s.words, text) {
		return true
	}
	if slices.Contains(s.soon, text) {
		c.notYet(n, path+": "+text)
		return true
	}
	d := c.list.Error(n.Pos(), "resilience-choice", n.Pointer(), "%s %s is unknown: want %s", path, shown(text), either(s.words))
	if near, ok := diag.Nearest(text, s.words); ok {
		d.Hintf("did you mean %s?", near)
	}
	return false
}

// text is a string of a certain form.
type text struct {
	want string
	fits func(string) bool
}

func (s text) check(c *checker, n *load.Node, path string) bool {
	got, ok := n.Str()
	if !ok {
		return c.wrongType(n, path, s.want)
	}
	if !s.fits(got) {
		return c.fail(n, "resilience-text", "%s %s: want %s", path, shown(got), s.want)
	}
	return true
}

// literal is a scalar that is compared as it is written.
type literal struct{}

func (literal) check(c *checker, n *load.Node, path string) bool {
	if _, ok := n.Written(); !ok || n.Is(load.Null) {
		return c.wrongType(n, path, "a text, a number, true or false")
	}
	return true
}

// status is a status or a range of them.
type status struct{}

func (status) check(c *checker, n *load.Node, path string) bool {
	const want = "a status from 100 to 599, or a range such as 5xx"
	written, ok := n.Written()
	if !ok || n.Kind != load.String && n.Kind != load.Number {
		return c.wrongType(n, path, want)
	}
	if _, _, ok := parseStatuses(written); !ok {
		if written = cut(written); n.Is(load.String) {
			written = shown(n.Text)
		}
		return c.fail(n, "resilience-status", "%s %s is no status: want %s", path, written, want)
	}
	return true
}

// expression is a runtime expression. What it names is checked against the
// operations that it comes to.
type expression struct {
	orEmpty bool
	// response says that it is read after the call, when the response is known.
	response bool
}

func (s expression) check(c *checker, n *load.Node, path string) bool {
	got, ok := n.Str()
	if !ok {
		return c.wrongType(n, path, "an expression such as $request.body#/id")
	}
	if s.orEmpty && got == "" {
		return true
	}
	e, err := policy.ParseExpr(got)
	if err != nil {
		d := c.list.Error(n.Pos(), "resilience-expression", n.Pointer(), "%s %s is no expression: want one such as $request.body#/id", path, shown(got))
		if near, ok := diag.Nearest(got, []string{"$principal", "$operation", "$method", "$request", "$ip", "$url"}); ok {
			d.Hintf("did you mean %s?", near)
		}
		return false
	}
	if !s.response && ofResponse(e) {
		return c.fail(n, "resilience-expression", "%s %s is not known before the call: want a value of the request", path, shown(got))
	}
	return true
}

// ofResponse reports whether an expression is known after the call only.
func ofResponse(e policy.Expr) bool {
	switch e.Source {
	case policy.FromResponseHeader, policy.FromResponseBody, policy.FromStatus:
		return true
	}
	return false
}

// list is a list of values of one shape.
type list struct {
	item shape
	some bool // an empty one means nothing
	// single lets one alone stand without its brackets.
	single bool
}

func (s list) check(c *checker, n *load.Node, path string) bool {
	switch {
	case n.Is(load.Array):
	case s.single && !n.Is(load.Object) && !n.Is(load.Null):
		return s.item.check(c, n, path)
	default:
		return c.wrongType(n, path, "a list")
	}
	if s.some && len(n.Items) == 0 {
		return c.fail(n, "resilience-range", "%s is empty: want at least one", path)
	}
	all := true
	for i, item := range n.Items {
		all = s.item.check(c, item, path+"["+strconv.Itoa(i)+"]") && all
	}
	return all
}

// items are the nodes of a list, or the one that stands for it.
func items(n *load.Node) []*load.Node {
	if n == nil {
		return nil
	}
	if n.Is(load.Array) {
		return n.Items
	}
	return []*load.Node{n}
}

// span reads a duration that was checked before; none is [policy.None].
func span(n *load.Node) time.Duration {
	s, _ := n.Str()
	if s == "none" {
		return policy.None
	}
	d, _ := parseDuration(s)
	return d
}
