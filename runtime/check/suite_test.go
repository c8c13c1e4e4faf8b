package check_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// suite is the public JSON Schema test suite next to the project.
const suite = "../../../shared/suites/json-schema/tests/draft2020-12"

type group struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// load reads a file of the suite. Without the suite there is nothing to hold
// against, and the log says so.
func load(t *testing.T, path ...string) []group {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{suite}, path...)...))
	if err != nil {
		t.Logf("the JSON Schema test suite is not here, nothing was checked: %v", err)
		return nil
	}
	var groups []group
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// text returns the string in data. The keywords of strings do not apply to
// anything else.
func text(data json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(data, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// departures are the tests that this package decides otherwise, and why.
var departures = map[string]string{
	"a valid date-time with a leap second, UTC":               leap,
	"a valid date-time with a leap second, with minus offset": leap,
	"no time offset":                                      partial,
	"no time offset with second fraction":                 partial,
	"fractional duration is not allowed by RFC 3339 ABNF": iso,
	"years and days cannot appear without months":         iso,
	"hours and seconds cannot appear without minutes":     iso,
	"a leading sign is not allowed":                       iso,
	"a comma as the decimal separator is invalid":         iso,
}

const (
	leap    = "time.Time holds no leap second, and what cannot be decoded must not validate"
	partial = "published documents use the format for times without an offset"
	iso     = "published documents name ISO 8601, which allows more than RFC 3339, appendix A"
)

func TestFormatsAgainstSuite(t *testing.T) {
	for _, name := range []string{
		"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
		"uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
	} {
		format, ok := check.ParseFormat(name)
		if !ok || format.String() != name {
			t.Fatalf("%s is not known", name)
		}
		for _, g := range load(t, "optional", "format", name+".json") {
			for _, test := range g.Tests {
				s, ok := text(test.Data)
				// Punycode needs tables that the standard library does not have.
				if !ok || departures[test.Description] != "" || strings.HasPrefix(strings.ToLower(s), "xn--") {
					continue
				}
				if got := format.Match(s); got != test.Valid {
					t.Errorf("%s: %q (%s): %v, want %v", name, s, test.Description, got, test.Valid)
				}
			}
		}
	}
}

func TestPatternsAgainstSuite(t *testing.T) {
	for _, path := range [][]string{
		{"pattern.json"}, {"optional", "ecmascript-regex.json"}, {"optional", "non-bmp-regex.json"},
	} {
		for _, g := range load(t, path...) {
			var schema struct {
				Pattern *string `json:"pattern"`
			}
			if json.Unmarshal(g.Schema, &schema) != nil || schema.Pattern == nil {
				continue
			}
			p, err := check.Compile(*schema.Pattern)
			if err != nil {
				t.Errorf("%s: %v", g.Description, err)
				continue
			}
			for _, test := range g.Tests {
				s, ok := text(test.Data)
				if !ok {
					continue
				}
				if got := p.Match(s); got != test.Valid {
					t.Errorf("%s: %q (%s): %v, want %v", g.Description, s, test.Description, got, test.Valid)
				}
			}
		}
	}
}

// patternProperties of the suite: a member fits when every pattern that its name
// matches has the schema true, or one of integers that it is, and, in a closed
// object, when it matches one.
func TestNamesAgainstSuite(t *testing.T) {
	tested := 0
	for _, path := range [][]string{
		{"patternProperties.json"}, {"optional", "ecmascript-regex.json"}, {"optional", "non-bmp-regex.json"},
	} {
		for _, g := range load(t, path...) {
			var schema struct {
				Patterns   map[string]json.RawMessage `json:"patternProperties"`
				Additional *bool                      `json:"additionalProperties"`
			}
			if json.Unmarshal(g.Schema, &schema) != nil || len(schema.Patterns) == 0 {
				continue
			}
			for _, test := range g.Tests {
				var members map[string]json.RawMessage
				if json.Unmarshal(test.Data, &members) != nil {
					continue
				}
				fits := true
				for name, data := range members {
					known := schema.Additional == nil || *schema.Additional
					for pattern, s := range schema.Patterns {
						p, err := check.Compile(pattern)
						if err != nil {
							t.Fatalf("%s: %v", g.Description, err)
						}
						if p.Match(name) {
							known, fits = true, fits && admits(t, s, data)
						}
					}
					fits = fits && known
				}
				tested++
				if fits != test.Valid {
					t.Errorf("%s: %s (%s): %v, want %v", g.Description, test.Data, test.Description, fits, test.Valid)
				}
			}
		}
	}
	t.Logf("%d objects", tested)
}

// admits decides the few schemas that the suite has below patternProperties.
func admits(t *testing.T, schema, data json.RawMessage) bool {
	t.Helper()
	switch s := strings.Join(strings.Fields(string(schema)), ""); s {
	case "true", "{}":
		return true
	case "false":
		return false
	case `{"type":"integer"}`:
		return strings.Trim(string(data), "0123456789-") == ""
	case `{"type":"number"}`:
		return json.Unmarshal(data, new(float64)) == nil
	case `{"type":"boolean"}`:
		return string(data) == "true" || string(data) == "false"
	case `{"type":"string"}`:
		return data[0] == '"'
	case `{"type":"null"}`:
		return string(data) == "null"
	case `{"maximum":20}`, `{"maximum":500}`:
		var n float64
		var limit struct {
			Maximum float64 `json:"maximum"`
		}
		if err := json.Unmarshal(schema, &limit); err != nil {
			t.Fatal(err)
		}
		return json.Unmarshal(data, &n) != nil || n <= limit.Maximum
	default:
		t.Fatalf("the suite has a schema that this test does not know: %s", s)
		return false
	}
}

func TestLengthsAgainstSuite(t *testing.T) {
	for _, name := range []string{"minLength.json", "maxLength.json"} {
		for _, g := range load(t, name) {
			var schema struct {
				MinLength *float64 `json:"minLength"`
				MaxLength *float64 `json:"maxLength"`
			}
			if err := json.Unmarshal(g.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			var rules check.StringRules
			if schema.MinLength != nil {
				rules.MinLength = int(*schema.MinLength)
			}
			if schema.MaxLength != nil {
				rules.MaxLength = check.Len(int(*schema.MaxLength))
			}
			for _, test := range g.Tests {
				s, ok := text(test.Data)
				if !ok {
					continue
				}
				var c check.Checker
				c.String("s", s, &rules)
				if c.OK() != test.Valid {
					t.Errorf("%s, %s: %v", g.Description, test.Description, c.Err())
				}
			}
		}
	}
}
