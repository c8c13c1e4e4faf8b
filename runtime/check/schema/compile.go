package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// compiler turns the texts of a set into nodes.
type compiler struct {
	roots map[string]*node
	name  string // of the entry that is being compiled
	err   error
}

func (s *Set) compile() {
	c := &compiler{roots: make(map[string]*node, len(s.texts))}
	names := slices.Sorted(maps.Keys(s.texts))
	for _, name := range names {
		c.roots[name] = &node{}
	}
	for _, name := range names {
		c.name = name
		d, err := parse(s.texts[name])
		if err != nil {
			c.failf("it %v", err)
			continue
		}
		c.into(c.roots[name], val{doc: d})
	}
	s.roots, s.err = c.roots, c.err
}

func (c *compiler) failf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("schema %q: %s", c.name, fmt.Sprintf(format, args...))
	}
}

func (c *compiler) node(v val) *node {
	n := &node{}
	c.into(n, v)
	return n
}

func (c *compiler) nodes(v val) []*node {
	out := make([]*node, 0, v.count())
	for _, item := range v.all() {
		out = append(out, c.node(item))
	}
	return out
}

// into fills n with the keywords of v.
func (c *compiler) into(n *node, v val) {
	switch {
	case v.kind() == kindBool:
		n.never = v.text() == "false"
		return
	case v.kind() != kindObject:
		c.failf("a schema is an object or a boolean")
		return
	}
	for _, m := range v.all() {
		if key := m.key(); !c.combining(n, key, m) && !c.scalar(n, key, m) && !c.listed(n, key, m) && !c.objects(n, key, m) {
			c.failf("unknown keyword %q", key)
		}
	}
	if n.list != nil && n.list.contains == nil && (n.list.minContains != 1 || n.list.maxContains >= 0) {
		n.list.minContains, n.list.maxContains = 1, -1 // without contains they mean nothing
	}
}

// combining reads the keywords that apply schemas to the value itself.
func (c *compiler) combining(n *node, key string, v val) bool {
	switch key {
	case "$ref":
		n.ref = c.entry(v.text())
	case "$dynamicRef":
		names := stringsOf(v)
		if len(names) != 2 {
			c.failf("$dynamicRef needs an anchor and an entry")
			break
		}
		n.dynamic, n.ref = names[0], c.entry(names[1])
	case "$dynamicScope":
		n.scope = make(map[string]*node, v.count())
		for _, m := range v.all() {
			n.scope[m.key()] = c.entry(m.text())
		}
	case "$typed":
		n.typed = v.text() == "true"
	case "allOf":
		n.allOf = c.nodes(v)
	case "anyOf":
		n.anyOf = c.nodes(v)
	case "oneOf":
		n.oneOf = c.nodes(v)
	case "not":
		n.not = c.node(v)
	case "if":
		n.when = c.node(v)
	case "then":
		n.then = c.node(v)
	case "else":
		n.other = c.node(v)
	case "unevaluatedItems":
		n.restItems, n.marks = c.node(v), true
	case "unevaluatedProperties":
		n.restMembers, n.marks = c.node(v), true
	default:
		return false
	}
	return true
}

func (c *compiler) entry(name string) *node {
	n := c.roots[name]
	if n == nil {
		c.failf("there is no entry %q", name)
	}
	return n
}

// scalar reads the keywords of all values, of numbers and of strings.
func (c *compiler) scalar(n *node, key string, v val) bool {
	switch key {
	case "type":
		n.types = c.types(v)
	case "enum":
		n.values = allowed(itemsOf(v))
	case "const":
		n.constant = allowed([]val{v})
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		if n.numbers == nil {
			n.numbers = &numbers{}
		}
		*n.numbers.of(key) = c.number(v)
	case "minLength", "maxLength", "pattern", "format":
		if n.texts == nil {
			n.texts = &texts{maxLength: -1}
		}
		c.text(n.texts, key, v)
	default:
		return false
	}
	return true
}

func (b *numbers) of(key string) *value.Number {
	switch key {
	case "minimum":
		return &b.minimum
	case "maximum":
		return &b.maximum
	case "exclusiveMinimum":
		return &b.above
	case "exclusiveMaximum":
		return &b.below
	}
	return &b.multiple
}

func (c *compiler) text(t *texts, key string, v val) {
	switch key {
	case "minLength":
		t.minLength = c.size(v)
	case "maxLength":
		t.maxLength = c.size(v)
	case "pattern":
		t.pattern = c.pattern(v.text())
	case "format":
		t.format, _ = check.ParseFormat(v.text())
	}
}

func (c *compiler) pattern(text string) *check.Pattern {
	p, err := check.Compile(text)
	if err != nil {
		c.failf("%v", err)
	}
	return p
}

func (c *compiler) number(v val) value.Number {
	if v.kind() != kindNumber {
		c.failf("a bound is a number")
		return "0"
	}
	return v.number()
}

// size is a count. One beyond int is as good as the largest.
func (c *compiler) size(v val) int {
	if v.kind() != kindNumber || !v.number().IsInteger() || v.number().Compare("0") < 0 {
		c.failf("a size is an integer from 0 up")
		return 0
	}
	const most = 1<<31 - 1 // no text has so many parts
	if n, err := v.number().Int64(); err == nil && n < most {
		return int(n)
	}
	return most
}

var kindNames = []struct {
	name string
	kind kind
}{
	{"null", kindNull}, {"boolean", kindBool}, {"integer", kindInteger}, {"number", kindNumber},
	{"string", kindString}, {"array", kindArray}, {"object", kindObject},
}

func (c *compiler) types(v val) kind {
	list := stringsOf(v)
	if v.kind() == kindString {
		list = []string{v.text()}
	}
	var types kind
	for _, word := range list {
		at := slices.IndexFunc(kindNames, func(k struct {
			name string
			kind kind
		}) bool {
			return k.name == word
		})
		if at < 0 {
			c.failf("unknown type %q", word)
			continue
		}
		types |= kindNames[at].kind
	}
	return types
}

// allowed is the set of some values; words name the first of them.
func allowed(list []val) *values {
	const most, longest = 10, 200
	a := &values{allowed: make(map[string]struct{}, len(list))}
	var words []string
	for i := range list {
		key := string(appendCanonical(nil, list[i]))
		a.allowed[key] = struct{}{}
		if len(key) > longest {
			key = strings.ToValidUTF8(key[:longest], "") + "…"
		}
		if len(words) == most {
			words = append(words, "…")
		}
		if len(words) < most {
			words = append(words, key)
		}
	}
	a.words = strings.Join(words, ", ")
	return a
}

// listed reads the keywords of arrays.
func (c *compiler) listed(n *node, key string, v val) bool {
	l := n.list
	if l == nil {
		l = &list{maxItems: -1, minContains: 1, maxContains: -1}
	}
	switch key {
	case "minItems":
		l.minItems = c.size(v)
	case "maxItems":
		l.maxItems = c.size(v)
	case "uniqueItems":
		l.unique = v.text() == "true"
	case "prefixItems":
		l.prefix = c.nodes(v)
	case "items":
		l.items = c.node(v)
	case "contains":
		l.contains = c.node(v)
	case "minContains":
		l.minContains = c.size(v)
	case "maxContains":
		l.maxContains = c.size(v)
	default:
		return false
	}
	n.list = l
	return true
}

// objects reads the keywords of objects.
func (c *compiler) objects(n *node, key string, v val) bool {
	o := n.object
	if o == nil {
		o = &object{maxMembers: -1}
	}
	switch key {
	case "minProperties":
		o.minMembers = c.size(v)
	case "maxProperties":
		o.maxMembers = c.size(v)
	case "required":
		o.required = stringsOf(v)
	case "properties":
		o.members = make(map[string]*node, v.count())
		for _, m := range v.all() {
			o.members[m.key()] = c.node(m)
		}
	case "patternProperties":
		for _, m := range v.all() {
			o.patterns = append(o.patterns, patterned{c.pattern(m.key()), c.node(m)})
		}
	case "additionalProperties":
		o.extra = c.node(v)
	case "propertyNames":
		o.names = c.node(v)
	case "dependentRequired":
		for _, m := range v.all() {
			o.demands = append(o.demands, demand{member: m.key(), required: stringsOf(m)})
		}
	case "dependentSchemas":
		for _, m := range v.all() {
			o.demands = append(o.demands, demand{member: m.key(), node: c.node(m)})
		}
	default:
		return false
	}
	n.object = o
	return true
}

func itemsOf(v val) []val {
	out := make([]val, 0, v.count())
	for _, item := range v.all() {
		out = append(out, item)
	}
	return out
}

// stringsOf are the texts of a list.
func stringsOf(v val) []string {
	out := make([]string, 0, v.count())
	for _, item := range v.all() {
		out = append(out, item.text())
	}
	return out
}
