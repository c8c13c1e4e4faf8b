package lower

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// lowerAny lowers whatever text is; the outcome does not matter, only that there is
// one.
func lowerAny(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var list diag.List
	if doc := load.Load(context.Background(), load.Options{Path: path}, &list); doc != nil {
		Lower(doc, Options{Include: []string{"tag:a"}, Exclude: []string{"path:/x/**"}}, &list)
	}
	list.Sorted()
}

const head = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"

// Documents built to keep a generator busy end soon.
func TestHostileDocuments(t *testing.T) {
	var callbacks strings.Builder
	for i := range 12 {
		fmt.Fprintf(&callbacks, "    C%d: {'{$a}': {post: {callbacks: {", i)
		for j := range 6 {
			fmt.Fprintf(&callbacks, "c%d: {$ref: '#/components/callbacks/C%d'}, ", j, i+1)
		}
		callbacks.WriteString("}}}}\n")
	}
	var chain strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&chain, "    P%d: {$ref: '#/components/parameters/P%d'}\n", i, i+1)
	}
	docs := map[string]string{
		"callbacks that multiply": "paths: {/a: {post: {callbacks: {c: {$ref: '#/components/callbacks/C0'}}}}}\ncomponents:\n  callbacks:\n" + callbacks.String(),
		"a chain of references":   "paths: {/a: {post: {parameters: [{$ref: '#/components/parameters/P0'}]}}}\ncomponents:\n  parameters:\n" + chain.String(),
		"a path of braces":        "paths: {'/" + strings.Repeat("{a}", 20_000) + "': {get: {}}}\n",
		"a long glob":             "paths: {'/" + strings.Repeat("x/", 2000) + "': {get: {}}}\n",
		"aliases":                 "x: &a {get: {callbacks: {c: {k: &b {post: {}}}}}}\npaths: {/a: *a, /b: *a, /c: *b}\n",
	}
	for name, doc := range docs {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			lowerAny(t, head+doc)
			if took := time.Since(start); took > longest {
				t.Errorf("took %s", took)
			}
		})
	}
}

func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		"paths: {/a/{b}: {get: {parameters: [{name: b, in: path, required: true, schema: {type: string}}], responses: {'200': {$ref: '#/components/responses/R'}}}}}\ncomponents: {responses: {R: {description: ok, headers: {X: {schema: {type: array, items: {type: string}}}}}}}\n",
		"paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {f: {type: string, format: binary}}}, encoding: {f: {contentType: image/png}}}}}, responses: {2xx: {}}}}}\n",
		"webhooks: {h: {$ref: '#/webhooks/h'}}\npaths: []\n",
		"paths: {/a: {post: {callbacks: {c: {$ref: '#/paths/~1a/post/callbacks/c'}}, security: [{x: []}]}}}\nservers: [{url: '{a}{'}]\ntags: [{name: a, parent: a}]\n",
		"paths: {/a: {get: {responses: {default: {content: {text/event-stream: {schema: {oneOf: [{$ref: '#/paths'}]}}, '*/*': null}}}}}}\n",
		"components: {securitySchemes: {a: {type: 1}}, schemas: {x: &x {allOf: [*x]}}, parameters: {p: {name: [], in: {}}}}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stuck := time.AfterFunc(20*time.Second, func() { panic("no end") })
		defer stuck.Stop()
		lowerAny(t, head+text)
	})
}
