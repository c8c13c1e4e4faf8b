package specext_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

func compileOne(t *testing.T, data []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	// Nothing may be loaded from elsewhere: an editor may have no network.
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource("https://holdfast.example/schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://holdfast.example/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const openapi = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\n"

func TestOpenAPISchema(t *testing.T) {
	s := compileOne(t, specext.OpenAPISchema())
	for text, want := range map[string]bool{
		"": true,
		"x-resilience: {version: 1, defaults: {timeout: 5s}}":                                      true,
		"x-resilience: {defaults: {timeout: 5s}}":                                                  false,
		"x-resilience: {version: 1, defaults: {timeout: 5}}":                                       false,
		"x-resilience: {version: 1, profiles: {dev: {all: {shed: {}}}}}":                           true,
		"x-resilience: false":                                                                      false,
		"tags: [{name: a, x-resilience: careful}, {name: b}]":                                      true,
		"tags: [{name: a, x-resilience: {retry: {maxAttempts: 0}}}]":                               false,
		"paths: {/a: {x-resilience: false, get: {x-resilience: {retry: none}}}}":                   true,
		"paths: {/a: {x-resilience: {version: 1}}}":                                                false,
		"paths: {/a: {get: {x-resilience: {shed: {}}}}}":                                           false,
		"paths: {/a: {get: {x-resilience: {shed: false}}}}":                                        true,
		"paths: {/a: {query: {x-resilience: {shed: {}}}}}":                                         false,
		"paths: {/a: {additionalOperations: {COPY: {x-resilience: 5}}}}":                           false,
		"paths: {x-resilience: {retry: none}, x-other: {get: {x-resilience: 5}}}":                  false,
		"paths: {x-other: {get: {x-resilience: 5}}}":                                               true,
		"paths: {/a: {parameters: [{name: a, in: query, x-resilience: {}}]}}":                      false,
		"paths: {/a: {get: {responses: {'200': {x-resilience: {}}}}}}":                             false,
		"paths: {/a: {post: {callbacks: {b: {'{$url}': {post: {x-resilience: {retry: none}}}}}}}}": true,
		"paths: {/a: {post: {callbacks: {b: {$ref: '#/components/callbacks/b'}}}}}":                true,
		"paths: {/a: {post: {callbacks: {b: {'{$url}': {post: {x-resilience: 5}}}}}}}":             false,
		"webhooks: {a: {post: {x-resilience: {outbox: {aggregate: '$request.body#/id'}}}}}":        true,
		"webhooks: {a: {post: {x-resilience: {outbox: {agregate: '$request.body#/id'}}}}}":         false,
		"components: {x-resilience: {}}":                                                           false,
		"components: {pathItems: {a: {get: {x-resilience: 7}}}}":                                   false,
		"components: {schemas: {a: {properties: {x-resilience: {type: string}}}}}":                 true,
		"servers: [{url: /, x-resilience: {}}]":                                                    false,
	} {
		if err := s.Validate(parse(t, openapi+text)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOverlaySchema(t *testing.T) {
	s := compileOne(t, specext.OverlaySchema())
	for text, want := range map[string]bool{
		"{target: $, update: {x-resilience: {version: 1, external: true}}}":                        true,
		"{target: $, update: {x-resilience: {external: true}}}":                                    false,
		"{target: $, update: {paths: {/a: {get: {x-resilience: {retry: 5}}}}}}":                    false,
		"{target: '$.paths[*].get', update: {x-resilience: {retry: none}}}":                        true,
		"{target: '$.paths[*].get', update: {x-resilience: {retry: {maxAttempts: 99}}}}":           false,
		"{target: '$.paths', update: {/a: {get: {x-resilience: {tries: 2}}}}}":                     false,
		"{target: '$.paths', update: {/a: {get: {x-resilience: slow, tags: [a]}}}}":                true,
		"{target: '$', remove: true}":                                                              true,
		"{target: $.x-resilience.defaults, update: {retry: none}}":                                 true,
		"{target: '$[?@.x]', update: {x-resilience: {version: 1, defaults: {retry: background}}}}": true,
		"{target: '$.paths', copy: '$.webhooks'}":                                                  true,
	} {
		text = "{overlay: 1.0.0, info: {title: A, version: '1'}, actions: [" + text + "]}"
		if err := s.Validate(parse(t, text)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every annotated document of this repository is accepted.
func TestOpenAPISchemaAcceptsOurDocuments(t *testing.T) {
	s, o := compileOne(t, specext.OpenAPISchema()), compileOne(t, specext.OverlaySchema())
	count := 0
	for _, pattern := range []string{"../golden/*/*.yaml", "../golden/*.yaml", "../testdata/*.yaml", "../testdata/*/*.yaml", "../templates/*.yaml", "../templates/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if !strings.Contains(text, "x-resilience") || strings.Contains(path, "invalid") {
				continue
			}
			switch {
			case strings.HasPrefix(text, "openapi:") || strings.Contains(text, "\nopenapi:"):
				err = s.Validate(parse(t, text))
			case strings.HasPrefix(text, "overlay:") || strings.Contains(text, "\noverlay:"):
				err = o.Validate(parse(t, text))
			default:
				continue
			}
			count++
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if count == 0 {
		t.Error("no document was found")
	}
	t.Logf("%d documents", count)
}
