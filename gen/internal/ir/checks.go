package ir

import "github.com/holdfast-go/holdfast/runtime/check/schema"

// Checks are constraints. Numbers are kept as JSON text, so none is rounded.
type Checks struct {
	Minimum, Maximum                   string // empty: none
	ExclusiveMinimum, ExclusiveMaximum bool   // of Minimum and Maximum
	MultipleOf                         string
	MinLength, MaxLength               *int64   // code points
	Pattern                            []string // ECMA 262, all must match
	Format                             string   // checked formats of strings: email, uri, hostname, …
	MinItems, MaxItems                 *int64
	UniqueItems                        bool
	MinProperties, MaxProperties       *int64
	Rules                              []*Rule // what no Go type can say; all hold
}

// Rule is a schema that a value is held to beside what its type checks.
type Rule struct {
	Name  string   // of the entry in API.Schemas
	Words []string // for a name in Go: the place of the schema
	Whole bool     // it covers the rules of the values inside

	// Set is API.Schemas in the form that runs, for values of the document itself.
	Set *schema.Set
}

// Admits reports whether a value keeps the rule.
func (r *Rule) Admits(v *Value) bool {
	if r.Set == nil {
		return true
	}
	var text schema.Text
	text.Start(v.JSON())
	found, _ := text.Check(r.Set.Rule(r.Name), 0)
	return len(found) == 0
}

// Schema is a JSON Schema in the form that runtime/check/schema reads. It may refer to
// others by name.
type Schema struct {
	Name string
	Text string
	Refs []string // the names that it refers to
}
