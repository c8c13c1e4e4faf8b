package json_test

import (
	stdjson "encoding/json"
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func uniqueItems(t *testing.T, text string) bool {
	t.Helper()
	var items []any
	if err := json.Decode([]byte(text), &items, json.Slice(json.Any), json.Mode{}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var c check.Checker
	json.Unique(&c, "set", items, json.Any)
	return c.OK()
}

func TestUnique(t *testing.T) {
	for text, want := range map[string]bool{
		`[1,1.0]`: false, `[{"a":1,"b":2},{"b":2,"a":1}]`: false, `[1,"1",true,null,[1],{"a":1}]`: true, `[]`: true, `[1]`: true,
		`[0,false,"",null,[],{}]`: true, `[[1],[1.0]]`: false, `[9007199254740993,9007199254740992]`: true, `["a","\u0061"]`: false,
	} {
		if got := uniqueItems(t, text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	var c check.Checker
	json.Unique(&c, "set", []any{"a", 1, "a"}, json.Any)
	if err := c.Err(); err == nil || err.Error() != "/set: must not repeat an item: items 0 and 2 are equal" {
		t.Error(err)
	}
	c.Reset(check.InBody, "")
	if json.Unique(&c, "set", []any{struct{}{}, struct{}{}}, json.Any); !c.OK() {
		t.Error("items without a JSON form are equal")
	}
}

func TestUniqueAgainstSuite(t *testing.T) {
	data, err := os.ReadFile("../../../../shared/suites/json-schema/tests/draft2020-12/uniqueItems.json")
	if err != nil {
		t.Logf("the JSON Schema test suite is not here, nothing was checked: %v", err)
		return
	}
	var groups []struct {
		Description string                        `json:"description"`
		Schema      map[string]stdjson.RawMessage `json:"schema"`
		Tests       []struct {
			Description string             `json:"description"`
			Data        stdjson.RawMessage `json:"data"`
			Valid       bool               `json:"valid"`
		} `json:"tests"`
	}
	if err := stdjson.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if len(g.Schema) != 2 || string(g.Schema["uniqueItems"]) != "true" { // $schema and the keyword alone
			continue
		}
		for _, test := range g.Tests {
			if test.Data[0] == '[' && uniqueItems(t, string(test.Data)) != test.Valid {
				t.Errorf("%s, %s: want %v", g.Description, test.Description, test.Valid)
			}
		}
	}
}
