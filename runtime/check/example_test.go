package check_test

import (
	"fmt"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// Rules are package variables; a walk reports all that is wrong, with pointers.
func ExampleChecker() {
	name := check.StringRules{MinLength: 1, MaxLength: check.Len(20), Pattern: check.Regexp("^[a-z]+$")}
	count := check.IntRules{Minimum: check.Int(1), MultipleOf: 5}

	var c check.Checker
	c.String("name", "Ada", &name)
	c.Enter("order")
	c.Int("count", 7, &count)
	check.Each(&c, "tags", []string{"a", ""}, check.StringOf[string](&name))
	c.Leave()
	for _, v := range c.Violations() {
		fmt.Println(v)
	}
	// Output:
	// /name: must match the pattern ^[a-z]+$
	// /order/count: must be a multiple of 5
	// /order/tags/1: must be at least 1 character, is 0
	// /order/tags/1: must match the pattern ^[a-z]+$
}
