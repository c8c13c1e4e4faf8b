package load

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/theory/jsonpath"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// drawnValue draws a value of JSON with few names, so that trees have some in common.
func drawnValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return float64(rapid.IntRange(-2, 3).Draw(t, "number"))
		case 3:
			return rapid.SampledFrom([]string{"", "a", "b c", "x/y~z", "é"}).Draw(t, "string")
		case 4:
			return rapid.SliceOfN(drawnValue(depth-1), 0, 3).Draw(t, "list")
		default:
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "x/y~z", "é'\""}), drawnValue(depth-1), 0, 4).Draw(t, "object")
		}
	})
}

func drawnObject(depth int) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), drawnValue(depth), 0, 4).Draw(t, "object")
	})
}

func textOf(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// valueOf is a tree as encoding/json has it.
func valueOf(t *rapid.T, n *Node) any {
	var v any
	if err := json.Unmarshal(n.JSON(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// documentOf is a document of any tree, which an overlay can be applied to.
func documentOf(t *rapid.T, v any) *Document {
	l := &diag.List{}
	f := Parse("api.json", []byte(textOf(t, v)), l)
	if f == nil {
		t.Fatal(l.Sorted())
	}
	return &Document{ctx: context.Background(), Root: f, files: []*File{f}}
}

// merged is the merge of Overlay 1.1 over plain values, step by step as its text
// has them; false where it calls the values incompatible.
func merged(target, update any) (any, bool) {
	switch u := update.(type) {
	case map[string]any:
		t, ok := target.(map[string]any)
		if !ok {
			return nil, false
		}
		out := maps.Clone(t)
		for key, value := range u {
			old, both := t[key]
			if !both {
				out[key] = value
				continue
			}
			if out[key], ok = merged(old, value); !ok {
				return nil, false
			}
		}
		return out, true
	case []any:
		t, ok := target.([]any)
		return append(slices.Clone(t), u...), ok
	}
	switch target.(type) {
	case map[string]any, []any:
		return nil, false
	}
	return update, true
}

func TestOverlayMergesAsTheTextHasIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc, update := drawnObject(3).Draw(t, "document"), drawnObject(3).Draw(t, "update")
		d := documentOf(t, doc)
		l := &diag.List{}
		o := ParseOverlay("o.json", []byte(`{"overlay": "1.1.0", "info": {"title": "t", "version": "1"}, "actions": [{"target": "$", "update": `+textOf(t, update)+`}]}`), l)
		d.apply(o, l)
		want, ok := merged(doc, update)
		if ok == l.HasErrors() {
			t.Fatalf("compatible: %v, but %v", ok, l.Sorted())
		}
		if !ok {
			return
		}
		if diff := cmp.Diff(want, valueOf(t, d.Root.Root)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Our own walk selects what the library selects.
func TestOverlaySelectsAsTheLibrary(t *testing.T) {
	t.Parallel()
	queries := []string{
		"$", "$.a", "$.*", "$[*]", "$..a", "$..*", "$..[0]", "$..[-1]", "$..[1:]", "$..[::-1]", "$..[-2:0:-1]", "$..[5:1:-2]", "$..[:2]", "$..[0,0,'a']",
		"$['x/y~z']", "$..['é\\'\"']", "$..a..b", "$.*.*", "$..[?@.a]", "$..[?@.a == 1 || !@.b]", "$..[?@ == null]", "$..[?length(@) > 1]",
		"$..[?@.a == $.a]", "$..[?count(@.*) == 2]", "$..[?match(@, 'a|b c')]", "$..[?search(@.a, 'b')]", "$..[?@.a < 2 && @.b >= 0]", "$[?@..c]", "$..[?value(@.a) == true]",
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := drawnValue(4).Draw(t, "document")
		text := rapid.SampledFrom(queries).Draw(t, "query")
		q, err := parseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := documentOf(t, doc).find(q)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, m := range found {
			got = append(got, m.id())
		}
		for _, n := range jsonpath.MustParse(text).SelectLocated(doc) {
			want = append(want, n.Path.Pointer())
		}
		slices.Sort(got)
		slices.Sort(want)
		if want = slices.Compact(want); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%s selects %q, want %q", text, got, want)
		}
	})
}
