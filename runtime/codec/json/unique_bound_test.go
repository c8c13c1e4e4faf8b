package json_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// nest is an array of nests, all of whose items differ.
type nest []nest

func (v *nest) DecodeJSON(d *json.Decoder) { json.DecodeSlice(d, (*[]nest)(v), json.Of[nest]()) }
func (v *nest) EncodeJSON(e *json.Encoder) { json.EncodeSlice(e, *v, json.Of[nest]()) }
func (v *nest) Validate(c *check.Checker) {
	json.UniqueOf[nest](json.Of[nest]())(v, c)
	for i := range *v {
		c.EnterIndex(i)
		(*v)[i].Validate(c)
		c.Leave()
	}
}

// Each array reads those in it again. That is fine for some levels, and must not
// take time quadratic in what the other side sends.
func TestComparingNestedArraysIsBounded(t *testing.T) {
	leaf := "[" + strings.Repeat("[],", 20_000) + "[]]" // its first two items are equal
	for depth, bounded := range map[int]bool{1: false, 10: false, 400: true} {
		var v nest
		text := strings.Repeat("[[],", depth) + leaf + strings.Repeat("]", depth)
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		invalid, ok := errors.AsType[*check.Error](check.Body(&v))
		if !ok || len(invalid.Violations) != 1 {
			t.Fatalf("depth %d: %v", depth, invalid)
		}
		if got := strings.Contains(invalid.Error(), "nested too deeply"); got != bounded {
			t.Errorf("depth %d: %.200s", depth, invalid.Violations[0].Detail)
		}
	}
}

// What one array cost is not held against the next one.
func TestComparingSiblingsIsNotBounded(t *testing.T) {
	var c check.Checker
	small := []int64{1, 2}
	large := make([]string, 2)
	for i := range large {
		large[i] = strings.Repeat("x", 1<<20) + string(rune('a'+i))
	}
	json.Unique(&c, "a", small, json.Int64)
	for range 20 {
		json.Unique(&c, "b", large, json.String)
	}
	if err := c.Err(); err != nil {
		t.Errorf("%.200v", err)
	}
}
