package ir

import "testing"

func TestJSON(t *testing.T) {
	v := &Value{Kind: ObjectValue, Members: []MemberValue{
		{"b", &Value{Kind: ArrayValue, Items: []*Value{{Kind: NumberValue, Text: "1.50"}, {Kind: NullValue}, {Kind: BoolValue, Text: "true"}}}},
		{"a<\"\n", &Value{Kind: StringValue, Text: "é&\u2028\\"}},
	}}
	const want = `{"b": [1.50, null, true], "a<\"\n": "é&\u2028\\"}`
	if got := v.JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
