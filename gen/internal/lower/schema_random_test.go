package lower

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// components is how many schemas a random document has; they refer to each other and
// to places inside each other in every way.
const components = 5

// drawSchema draws a schema as JSON text. Depth bounds the nesting.
func drawSchema(t *rapid.T, depth int) string {
	if depth <= 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{
			`{}`, `true`, `{"type":"string"}`, `{"type":"integer","minimum":1}`, `{"type":"null"}`, `{"const":"a"}`,
			`{"enum":["a","b"]}`, `{"type":"string","enum":["b","c",null]}`, `{"nullable":true}`, `{"description":"d"}`,
			`{"type":["string","null"]}`, `{"type":["integer","array"]}`, `{"required":["p0"]}`, `{"maxItems":3}`,
			`{"type":"object","additionalProperties":false}`, `{"type":"number","default":2}`, `false`,
		}).Draw(t, "simple")
	}
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0, 1:
		return drawRef(t)
	case 2:
		return `{"type":"array","items":` + drawSchema(t, depth-1) + `}`
	case 3:
		return `{"additionalProperties":` + drawSchema(t, depth-1) + `}`
	case 4:
		return drawComposite(t, depth)
	case 5:
		return `{"prefixItems":[` + drawSchema(t, depth-1) + `],"items":` + drawSchema(t, depth-1) + `}`
	default:
		return drawObject(t, depth)
	}
}

func drawRef(t *rapid.T) string {
	target := fmt.Sprintf("#/components/schemas/A%d", rapid.IntRange(0, components-1).Draw(t, "to"))
	suffix := rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "/properties/p0", "/items", "/allOf/0", "/oneOf/1"}).Draw(t, "within")
	siblings := rapid.SampledFrom([]string{"", "", `,"description":"d"`, `,"type":["object","null"]`, `,"required":["p1"]`, `,"maxLength":3`}).Draw(t, "beside")
	return `{"$ref":"` + target + suffix + `"` + siblings + `}`
}

func drawObject(t *rapid.T, depth int) string {
	var props []string
	for i := range rapid.IntRange(0, 3).Draw(t, "props") {
		props = append(props, fmt.Sprintf(`"p%d":%s`, i, drawSchema(t, depth-1)))
	}
	more := rapid.SampledFrom([]string{"", "", `,"type":"object"`, `,"required":["p0"]`, `,"additionalProperties":true`, `,"discriminator":{"propertyName":"p0"}`}).Draw(t, "more")
	return `{"properties":{` + strings.Join(props, ",") + `}` + more + `}`
}

func drawComposite(t *rapid.T, depth int) string {
	key := rapid.SampledFrom([]string{"allOf", "oneOf", "anyOf"}).Draw(t, "key")
	var branches []string
	for range rapid.IntRange(1, 3).Draw(t, "branches") {
		branches = append(branches, drawSchema(t, depth-1))
	}
	more := rapid.SampledFrom([]string{"", "", `,"nullable":true`, `,"properties":{"p0":{"type":"string"}}`,
		`,"discriminator":{"propertyName":"p0","mapping":{"x":"A1"}}`, `,"type":"object"`, `,"default":"a"`}).Draw(t, "more")
	return `{"` + key + `":[` + strings.Join(branches, ",") + `]` + more + `}`
}

// lowerBytes lowers a document that stands at path for as long as that takes.
func lowerBytes(t *rapid.T, path string, data []byte) (*ir.API, *diag.List) {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	if doc == nil {
		t.Fatalf("not loaded: %v", list.Sorted())
	}
	return Lower(doc, Options{}, &list).API, &list
}

// Whatever schemas say about each other, lowering ends, the result can be generated,
// and it does not depend on how the document is laid out.
func TestRandomSchemas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec.json")
	whole := 0
	rapid.Check(t, func(t *rapid.T) {
		var schemas []string
		for i := range components {
			schemas = append(schemas, fmt.Sprintf(`"A%d":%s`, i, drawSchema(t, 4)))
		}
		text := `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"components":{"schemas":{` + strings.Join(schemas, ",") + `}}}`
		var wide bytes.Buffer
		if err := json.Indent(&wide, []byte(text), "", "   "); err != nil {
			t.Fatal(err)
		}
		first, list := lowerBytes(t, path, []byte(text))
		if list.HasErrors() {
			return // a reference into what another schema does not have, a cycle
		}
		whole++
		checkTypes(t, first)
		again, _ := lowerBytes(t, path, wide.Bytes())
		if one, two := ir.Dump(first), ir.Dump(again); one != two {
			t.Errorf("laid out otherwise, the same document becomes\n%s\ninstead of\n%s", two, one)
		}
	})
	t.Logf("%d documents without faults", whole)
}
