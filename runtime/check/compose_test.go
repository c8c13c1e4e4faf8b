package check_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// node validates itself, through package variables that its own method uses.
type node struct {
	name  string
	nodes [][]node
}

var (
	nodeName  = check.All(check.StringOf[string](&check.StringRules{MinLength: 1}), check.StringOf[string](&check.StringRules{MaxLength: check.Len(2)}))
	nodeLists = check.SliceOf(check.SliceOf(check.Of[node]()))
)

func (v *node) Validate(c *check.Checker) {
	check.Member(c, "name", &v.name, nodeName)
	check.Slice(c, "nodes", &v.nodes, nodeLists)
}

// pointers lists where a checker found something.
func pointers(c *check.Checker) string {
	var out []string
	for _, v := range c.Violations() {
		out = append(out, v.Pointer+":"+v.Rule)
	}
	return strings.Join(out, " ")
}

func TestComposed(t *testing.T) {
	v := &node{name: "a", nodes: [][]node{{{name: "b"}, {name: ""}}, {{name: "long"}}}}
	var c check.Checker
	v.Validate(&c)
	if got, want := pointers(&c), "/nodes/0/1/name:minLength /nodes/1/0/name:maxLength"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAbsentLists(t *testing.T) {
	type names []string
	type counts map[string]int64
	var c check.Checker
	items, props := check.ItemsOf[names](&check.SizeRules{Min: 1}), check.PropertiesOf[counts](&check.SizeRules{Min: 1})
	var list names
	var m counts
	check.Slice(&c, "list", &list, items)
	check.Map(&c, "map", &m, props)
	if !c.OK() {
		t.Errorf("absent lists: %s", pointers(&c))
	}
	list, m = names{}, counts{}
	check.Slice(&c, "list", &list, items)
	check.Map(&c, "map", &m, props)
	if got, want := pointers(&c), "/list:minItems /map:minProperties"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestElementsOfAnObject(t *testing.T) {
	var c check.Checker
	small := check.IntOf[int64](&check.IntRules{Maximum: check.Int(9)})
	extra := map[string]int64{"b": 10, "a": 11, "c": 1}
	check.ValuesHere(&c, extra, small)
	n := int64(12)
	check.Item(&c, 3, &n, small)
	p := &n
	check.Member(&c, "p", &p, check.PtrOf(small))
	p = nil
	check.Member(&c, "nil", &p, check.PtrOf(small))
	same := []string{"x", "x"}
	check.Member(&c, "same", &same, check.UniqueOf[[]string])
	if got, want := pointers(&c), "/a:maximum /b:maximum /3:maximum /p:maximum /same:uniqueItems"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCountOf(t *testing.T) {
	type pair struct{ a, b bool }
	count := func(p *pair) (n int) {
		for _, set := range []bool{p.a, p.b} {
			if set {
				n++
			}
		}
		return n
	}
	f := check.CountOf(count, &check.SizeRules{Min: 1, Max: check.Len(1)})
	for p, want := range map[pair]string{{}: ":minProperties", {a: true}: "", {true, true}: ":maxProperties"} {
		var c check.Checker
		if f(&p, &c); pointers(&c) != want {
			t.Errorf("%+v: got %q, want %q", p, pointers(&c), want)
		}
	}
}
