package load

import (
	"math"
	"testing"
)

func TestInt64(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-7", -7, true}, {"7.0", 7, true}, {"70e-1", 7, true}, {"1e3", 1000, true}, {"1.5", 0, false}, {"-0.0e9", 0, true},
		{"9007199254740993", 9007199254740993, true}, {"9223372036854775807", math.MaxInt64, true}, {"-9223372036854775808", math.MinInt64, true},
		{"9223372036854775808", 0, false}, {"1e999999999", 0, false}, {"1e-999999999", 0, false}, {"0e999999999", 0, true}, {"1e99999999999999999999", 0, false},
	} {
		n := &Node{Kind: Number, Text: c.text}
		if got, ok := n.Int64(); got != c.want || ok != c.ok {
			t.Errorf("%s: got %d, %v", c.text, got, ok)
		}
	}
	if _, ok := (&Node{Kind: String, Text: "1"}).Int64(); ok {
		t.Error("a string is no number")
	}
	if v, ok := (&Node{Kind: Number, Text: "0.1"}).Float64(); v != 0.1 || !ok {
		t.Errorf("0.1 is %v, %v", v, ok)
	}
	if _, ok := (&Node{Kind: Number, Text: "1e400"}).Float64(); ok {
		t.Error("1e400 is out of range")
	}
}

// An absent node answers every question, so that lookups can be chained.
func TestNilNode(t *testing.T) {
	var n *Node
	if n.Get("a").Get("b") != nil || n.Index(0) != nil || n.Has("a") || n.Len() != 0 || n.Is(Null) || n.KindName() != "nothing" ||
		n.Pos().IsValid() || n.Pointer() != "" || string(n.JSON()) != "null" || n.At("/x") != nil {
		t.Error("a nil node is not empty")
	}
	_, str := n.Str()
	_, boolean := n.Bool()
	_, num := n.Num()
	_, i := n.Int64()
	_, f := n.Float64()
	_, written := n.Written()
	_, member := n.Member("a")
	_, key := n.Key()
	if str || boolean || num || i || f || written || member || key {
		t.Error("a nil node has a value")
	}
}

func TestAccessors(t *testing.T) {
	root := mustParse(t, "t.yaml", "s: x\nb: true\nn: 1\nl: [1, [2]]\n")
	if v, ok := root.Get("b").Bool(); !v || !ok {
		t.Error("b is not true")
	}
	if _, ok := root.Get("n").Str(); ok {
		t.Error("a number is no string")
	}
	if m, ok := root.Get("s").Key(); !ok || m.Key != "s" || m.Pos().String() != "t.yaml:1:1" {
		t.Errorf("the key of s is %q at %s", m.Key, m.Pos())
	}
	if _, ok := root.Get("l").Index(0).Key(); ok {
		t.Error("an element has no key")
	}
	if got := root.Get("l").Index(1).Index(0).Pointer(); got != "/l/1/0" {
		t.Errorf("pointer is %s", got)
	}
	if root.At("/l/00") != nil || root.At("/l/-") != nil || root.At("l") != nil || root.At("/s/x") != nil {
		t.Error("a pointer leads where nothing is")
	}
	// Trees that a caller builds have pointers too.
	moved := &Node{Kind: Array, Items: []*Node{{Kind: Null}, {Kind: Bool}}}
	moved.Items[1].Parent = moved
	if got := moved.Items[1].Pointer(); got != "/1" {
		t.Errorf("pointer is %s", got)
	}
}

func TestPointerTokens(t *testing.T) {
	// The examples of RFC 6901, chapter 5, and the order that chapter 4 demands.
	for token, escaped := range map[string]string{"a/b": "a~1b", "m~n": "m~0n", "c%d": "c%d", "": "", "~1": "~01", " ": " "} {
		if got := EscapeToken(token); got != escaped {
			t.Errorf("%q: escaped to %q, want %q", token, got, escaped)
		}
		if got := UnescapeToken(escaped); got != token {
			t.Errorf("%q: unescaped to %q, want %q", escaped, got, token)
		}
	}
}
