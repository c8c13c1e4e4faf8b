package c045_test

import (
	"testing"

	"example.test/out/c045"
)

func TestRecursion(t *testing.T) {
	var tree c045.Tree
	tree.Children = []c045.Tree{{}}
	tree.ByName = map[string]c045.Tree{"a": {}}
	tree.More = []c045.Tree{}
	tree.Nest = c045.Nest{{}, {{}}}
	write(t, &tree, lenient, `{"children":[{}],"byName":{"a":{}},"more":[],"nest":[[],[[]]]}`)
	round[c045.Nest](t, `[[],[[]]]`, `[]`)
	round[c045.Tree](t, `{"children":[{"byName":{"x":{"more":[{}]}}}]}`)
}
