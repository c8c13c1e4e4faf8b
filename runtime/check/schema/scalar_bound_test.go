package schema

import (
	"strings"
	"testing"
)

// Long scalars are paid for each time that a schema looks at them: many alternatives
// over one of them end with the bound instead of running for seconds.
func TestLongScalarsAreBounded(t *testing.T) {
	text := `"` + strings.Repeat("é", 50000) + `"`
	for name, test := range map[string]struct{ alternative, text string }{
		"length": {`{"maxLength": 3}`, text},
		"enum":   {`{"enum": ["x"]}`, text},
		"number": {`{"multipleOf": 7}`, "1" + strings.Repeat("9", 50000)},
	} {
		many := one(`{"anyOf": [` + test.alternative + strings.Repeat(", "+test.alternative, 4999) + `]}`)
		if found := checkText(many, test.text); len(found) != 1 || found[0].Rule != "work" {
			t.Errorf("%s, often: %+v", name, found)
		}
		if found := checkText(one(test.alternative), test.text); len(found) != 1 || found[0].Rule == "work" {
			t.Errorf("%s, once: %+v", name, found)
		}
	}
}
