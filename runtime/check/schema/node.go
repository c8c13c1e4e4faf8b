package schema

import (
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// node is one compiled schema. Nodes are not changed once the set is compiled.
type node struct {
	never bool // false
	typed bool // $typed
	marks bool // unevaluated keywords need to know what the others have seen

	scope   map[string]*node // $dynamicScope
	ref     *node
	dynamic string // $dynamicRef: the anchor; ref stands in
	types   kind   // 0: any

	values   *values // enum
	constant *values // const
	numbers  *numbers
	texts    *texts
	list     *list
	object   *object

	allOf, anyOf, oneOf []*node
	not                 *node
	when, then, other   *node // if, then, else

	restItems, restMembers *node // the unevaluated keywords
}

// values are the values that enum or const allows, in their canonical form.
type values struct {
	allowed map[string]struct{}
	words   string // of a message
}

// numbers are the keywords of numbers; an empty text is none.
type numbers struct {
	minimum, maximum, above, below, multiple value.Number
}

// texts are the keywords of strings. A maximum of -1 is none, here and below.
type texts struct {
	minLength, maxLength int
	pattern              *check.Pattern
	format               check.Format
}

// list is the keywords of arrays.
type list struct {
	minItems, maxItems       int
	unique                   bool
	prefix                   []*node
	items                    *node
	contains                 *node
	minContains, maxContains int
}

// object is the keywords of objects.
type object struct {
	minMembers, maxMembers int
	required               []string
	members                map[string]*node
	patterns               []patterned
	extra                  *node // additionalProperties
	names                  *node // propertyNames
	demands                []demand
}

// patterned is an entry of patternProperties.
type patterned struct {
	name *check.Pattern
	node *node
}

// demand is what the presence of a member asks for: dependentRequired and
// dependentSchemas.
type demand struct {
	member   string
	required []string
	node     *node
}
