package fault_test

import (
	"fmt"

	"github.com/holdfast-go/holdfast/runtime/fault"
)

// What a server has against a request, read from the body of a
// client.StatusError.
func ExampleParseProblem() {
	p, err := fault.ParseProblem([]byte(`{"title":"Bad Request","status":400,"violations":[
		{"in":"query","name":"limit","detail":"must be at most 100"},
		{"in":"body","pointer":"/stars","detail":"must be at most 5"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Status, p.Title)
	for _, v := range p.Violations {
		fmt.Println(v.In, v.Name, v.Pointer, v.Detail)
	}
	// Output:
	// 400 Bad Request
	// query limit  must be at most 100
	// body  /stars must be at most 5
}
