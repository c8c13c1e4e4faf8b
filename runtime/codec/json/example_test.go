package json_test

import (
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// A composed codec reads nested types in one expression.
func ExampleCodec() {
	scores := json.Map(json.Slice(json.Null(json.Int32)))
	var v map[string][]value.Null[int32]
	if err := json.Decode([]byte(`{"ann":[1,null],"bob":[]}`), &v, scores, json.Mode{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(v["ann"]), v["ann"][1].IsNull())
	text, err := json.Encode(nil, &v, scores, json.Mode{})
	fmt.Println(string(text), err)
	// Output:
	// 2 true
	// {"ann":[1,null],"bob":[]} <nil>
}

// One decoding reports every violation.
func ExampleDecode() {
	var v map[string][]int64
	err := json.Decode([]byte(`{"a":[1,"2"],"b":3}`), &v, json.Map(json.Slice(json.Int64)), json.Mode{})
	if invalid, ok := errors.AsType[*json.InvalidError](err); ok {
		for _, violation := range invalid.Violations {
			fmt.Println(violation.Pointer, violation.Rule, violation.Detail)
		}
	}
	// Output:
	// /a/1 type must be an integer, is a string
	// /b type must be an array, is a number
}
