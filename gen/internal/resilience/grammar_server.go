package resilience

import "github.com/holdfast-go/holdfast/gen/internal/load"

var lockObject = &object{
	fields: []field{
		{"keys", list{item: templateShape{}, some: true}},
		{"expected", duration{}},
		{"ttl", duration{}},
		{"heartbeat", duration{}},
		{"wait", duration{zero: true}},
		{"fencing", flag{}},
		{"backend", choice{words: []string{"redis", "redlock", "postgres"}}},
	},
}

var concurrencyObject = &object{
	fields: []field{
		{"etag", versionShape{}},
		{"ifMatch", choice{words: []string{"optional", "required"}}},
		{"conflict", numbers{412, 409}},
		{"reread", choice{words: []string{"auto"}}},
	},
}

// versionShape is where a version stands: true is the ETag.
type versionShape struct{}

func (versionShape) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Bool) {
		return yes{}.check(c, n, path)
	}
	return expression{response: true}.check(c, n, path)
}

var shedObject = &object{
	fields: []field{
		{"target", duration{}},
		{"maxInflight", integer{1, manySlots}},
		{"adaptive", flag{}},
	},
}
