package client

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"pgregory.net/rapid"
)

func TestShrink(t *testing.T) {
	tests := map[string]struct {
		text string
		by   policy.Shrink
		want string // empty is cannot be done
	}{
		"the oldest quarter":     {`[0,1,2,3,4,5,6,7]`, policy.Shrink{Factor: 0.75}, `[2,3,4,5,6,7]`},
		"but the first":          {`[0,1,2,3,4,5,6,7]`, policy.Shrink{Factor: 0.75, KeepFirst: 1}, `[0,3,4,5,6,7]`},
		"the rest is verbatim":   {`{"a": 1.50, "m": [ "x" , {"y":1}, "z" ], "b":"\u00e9"}`, policy.Shrink{Pointer: "/m", Factor: 0.5}, `{"a": 1.50, "m": [ "z" ], "b":"\u00e9"}`},
		"one at least":           {`[0,1,2]`, policy.Shrink{Factor: 0.99}, `[1,2]`},
		"the newest stays":       {`[0,1,2]`, policy.Shrink{Factor: 0.01, KeepFirst: 1}, `[0,2]`},
		"nothing to drop":        {`[0,1]`, policy.Shrink{Factor: 0.5, KeepFirst: 1}, ""},
		"nothing at all":         {`[]`, policy.Shrink{Factor: 0.5}, ""},
		"no such place":          {`{"m":[1,2,3]}`, policy.Shrink{Pointer: "/x", Factor: 0.5}, ""},
		"no array":               {`{"m":{"0":1,"1":2}}`, policy.Shrink{Pointer: "/m", Factor: 0.5}, ""},
		"no JSON":                {`[0,1,`, policy.Shrink{Factor: 0.5}, ""},
		"deeper, with a ~ in it": {`{"a/b":[[1,2,3,4]]}`, policy.Shrink{Pointer: "/a~1b/0", Factor: 0.5}, `{"a/b":[[3,4]]}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := shrink([]byte(tt.text), &tt.by)
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("%s, %v; want %s", got, ok, tt.want)
			}
		})
	}
}

// What is left are the first ones that are to be kept and the newest of the others, in
// their order, fewer than before; in the end it cannot be less.
func TestShrinkProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := policy.Shrink{Factor: rapid.Float64Range(0.001, 0.999).Draw(t, "factor"), KeepFirst: rapid.IntRange(0, 5).Draw(t, "keepFirst")}
		list := make([]string, rapid.IntRange(0, 40).Draw(t, "n"))
		for i := range list {
			list[i] = strconv.Itoa(i)
		}
		text, _ := json.Marshal(list)
		for {
			next, ok := shrink(text, &by)
			if !ok {
				if len(list) > by.KeepFirst+1 {
					t.Fatalf("%v cannot be cut", list)
				}
				return
			}
			var left []string
			if err := json.Unmarshal(next, &left); err != nil {
				t.Fatalf("%s: %v", next, err)
			}
			dropped := len(list) - len(left)
			if dropped < 1 || !slices.Equal(left, slices.Delete(slices.Clone(list), by.KeepFirst, by.KeepFirst+dropped)) {
				t.Fatalf("%v became %v", list, left)
			}
			text, list = next, left
		}
	})
}
