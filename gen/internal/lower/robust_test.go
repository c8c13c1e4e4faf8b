package lower

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/hostile"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// lowerFiles lowers a document of files, given as names and texts in turn, of which
// the first is the root, and returns what was said.
func lowerFiles(t *testing.T, files ...string) *diag.List {
	t.Helper()
	dir := t.TempDir()
	size := 0
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		size += len(files[i+1])
	}
	var list diag.List
	hostile.Guard(t, size, func() {
		if doc := load.Load(context.Background(), load.Options{Path: filepath.Join(dir, files[0])}, &list); doc != nil {
			api := Lower(doc, Options{}, &list).API
			ir.Dump(api)
			if !list.HasErrors() {
				checkTypes(t, api)
			}
		}
		list.Sorted()
	})
	return &list
}

// usedKinds are the kinds of components, and a document that uses the component A of
// each. Those of {} take a reference.
var usedKinds = map[string]string{
	"schemas":         "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {}}}}, responses: {'200': {description: d, content: {application/json: {schema: {}}}}}}}}\n",
	"parameters":      "paths: {/a/{id}: {parameters: [{}], get: {parameters: [{}], responses: {'204': {description: d}}}}}\n",
	"responses":       "paths: {/a: {get: {responses: {'200': {}, default: {}}}}}\n",
	"requestBodies":   "paths: {/a: {post: {requestBody: {}, responses: {'204': {description: d}}}}}\n",
	"headers":         "paths: {/a: {get: {responses: {'200': {description: d, headers: {X-A: {}}}}}}}\n",
	"examples":        "paths: {/a: {get: {responses: {'200': {description: d, content: {application/json: {schema: {}, examples: {e: {}}}}}}}}}\n",
	"links":           "paths: {/a: {get: {responses: {'200': {description: d, links: {l: {}}}}}}}\n",
	"callbacks":       "paths: {/a: {get: {callbacks: {c: {}}, responses: {'204': {description: d}}}}}\n",
	"pathItems":       "paths: {/a: {}, /b: {}}\nwebhooks: {w: {}}\n",
	"securitySchemes": "paths: {/a: {get: {security: [{A: []}], responses: {'204': {description: d}}}}}\nsecurity: [{A: []}]\n",
	"mediaTypes":      "paths: {/a: {post: {requestBody: {content: {application/json: {}}}, responses: {'200': {description: d, content: {application/json: {}}}}}}}\n",
}

// using writes a reference in the place of each {}.
func using(kind, target string) string {
	return "openapi: 3.2.0\ninfo: {title: t, version: '1'}\n" +
		strings.ReplaceAll(usedKinds[kind], "{}", "{$ref: '"+target+"'}")
}

// Every kind of reference may lead back to itself: directly, over others, within a
// long ring, and over another file. That ends, and is said.
func TestReferenceCyclesOfEveryKind(t *testing.T) {
	for _, kind := range slices.Sorted(maps.Keys(usedKinds)) {
		own := "#/components/" + kind + "/"
		components := "components:\n  " + kind + ":\n"
		ring := func(n int) string {
			var b strings.Builder
			for i := range n {
				name := fmt.Sprintf("A%d", i)
				if i == 0 {
					name = "A"
				}
				next := fmt.Sprintf("A%d", i+1)
				if i == n-1 {
					next = "A"
				}
				fmt.Fprintf(&b, "    %s: {$ref: '%s%s'}\n", name, own, next)
			}
			return b.String()
		}
		for name, files := range map[string][]string{
			"itself": {"a.yaml", using(kind, own+"A") + components + ring(1)},
			"pair":   {"a.yaml", using(kind, own+"A") + components + ring(2)},
			"ring":   {"a.yaml", using(kind, own+"A") + components + ring(10_000)},
			"files": {
				"a.yaml", using(kind, own+"A") + components + "    A: {$ref: 'b.yaml" + own + "B'}\n",
				"b.yaml", components + "    B: {$ref: 'a.yaml" + own + "A'}\n",
			},
			"whole files": {
				"a.yaml", using(kind, "b.yaml") + components + "    A: {$ref: 'b.yaml'}\n",
				"b.yaml", "$ref: c.yaml\n", "c.yaml", "$ref: b.yaml\n",
			},
			"the root": {"a.yaml", using(kind, "#") + components + "    A: {$ref: '#'}\n"},
			"the map":  {"a.yaml", using(kind, strings.TrimSuffix(own, "/")) + components + "    A: {$ref: '" + strings.TrimSuffix(own, "/") + "'}\n"},
			"beneath":  {"a.yaml", using(kind, own+"A/x") + components + "    A: {x: {$ref: '" + own + "A/x/y'}}\n"},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				// The root has no kind that could be wrong.
				if list := lowerFiles(t, files...); list.Len() == 0 && name != "the root" {
					t.Error("nothing is said about it")
				}
			})
		}
	}
}

// Schemas and others lead back to themselves through their parts as well.
func TestCyclesThroughParts(t *testing.T) {
	for name, files := range map[string][]string{
		"discriminator": {"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: k, mapping: {a: A, b: B, c: '#/components/schemas/A', d: 'a.yaml#/components/schemas/A'}}}, B: {allOf: [{$ref: '#/components/schemas/A'}], properties: {k: {type: string}}}}}\n"},
		"mapping over files": {
			"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: {discriminator: {propertyName: k, mapping: {b: 'b.yaml#/B'}}, properties: {k: {type: string}}}}}\n",
			"b.yaml", "B: {allOf: [{$ref: 'a.yaml#/components/schemas/A'}], discriminator: {propertyName: k, mapping: {a: 'a.yaml#/components/schemas/A', b: 'b.yaml#/B'}}}\n",
		},
		"allOf over files": {
			"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: {allOf: [{$ref: 'b.yaml#/B'}]}}}\n",
			"b.yaml", "B: {allOf: [{$ref: 'a.yaml#/components/schemas/A'}]}\n",
		},
		"callback of itself": {"a.yaml", head + "paths: {/a: {get: {callbacks: {c: {$ref: '#/components/callbacks/C'}}}}}\ncomponents: {callbacks: {C: {'{$url}': {post: {callbacks: {c: {$ref: '#/components/callbacks/C'}}}}}}}\n"},
		"path in callback":   {"a.yaml", head + "paths: {/a: {get: {callbacks: {c: {'{$url}': {$ref: '#/paths/~1a'}}}}}}\n"},
		"link to itself":     {"a.yaml", head + "paths: {/a: {get: {operationId: a, responses: {'200': {description: d, links: {l: {operationId: a, parameters: {x: $response.body#/x}}}}}}}}\n"},
		"link by reference":  {"a.yaml", head + "paths: {/a: {get: {responses: {'200': {description: d, links: {l: {operationRef: '#/paths/~1a/get/responses/200/links/l'}}}}}}}\n"},
		"header of itself":   {"a.yaml", head + "paths: {/a: {get: {responses: {'200': {description: d, headers: {X: {content: {multipart/mixed: {encoding: {a: {headers: {X: {$ref: '#/paths/~1a/get/responses/200/headers/X'}}}}}}}}}}}}}\n"},
		"encoding of itself": {"a.yaml", "openapi: 3.2.0\ninfo: {title: t, version: '1'}\npaths: {/a: {post: {requestBody: {content: {multipart/mixed: &m {schema: {type: object, properties: {a: {}}}, encoding: {a: {encoding: {a: {encoding: {}}}}}}}}}}}\n"},
		"dynamic":            {"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: {$dynamicAnchor: a, $dynamicRef: '#a', properties: {x: {$dynamicRef: '#a'}}}}}\n"},
		"ids":                {"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: {$id: 'http://x.test/a', $ref: 'http://x.test/b'}, B: {$id: 'http://x.test/b', $ref: 'http://x.test/a'}}}\n"},
		"not":                {"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: {not: {$ref: '#/components/schemas/A'}, if: {$ref: '#/components/schemas/A'}, then: {$ref: '#/components/schemas/A'}, propertyNames: {$ref: '#/components/schemas/A'}, contains: {$ref: '#/components/schemas/A'}}}}\n"},
		"everything":         {"a.yaml", head + "paths: {}\ncomponents: {schemas: {A: &a {allOf: [{$ref: '#/components/schemas/A/anyOf/0'}], anyOf: [{$ref: '#/components/schemas/A/oneOf/0'}], oneOf: [{$ref: '#/components/schemas/A/allOf/0'}], items: {$ref: '#/components/schemas/A/items'}}}}\n"},
		"tags":               {"a.yaml", "openapi: 3.2.0\ninfo: {title: t, version: '1'}\npaths: {}\ntags: [{name: a, parent: b}, {name: b, parent: a}]\n"},
	} {
		t.Run(name, func(t *testing.T) { lowerFiles(t, files...) })
	}
}

// largeDocuments have more of something than any should.
func largeDocuments() map[string]string {
	text := strings.Repeat("lorem ipsum ", 1<<20/12)
	key := strings.Repeat("k", 1<<20)
	operation := "{operationId: %s, summary: '%s', tags: ['%s'], parameters: [{name: '%s', in: query, description: '%s', schema: {type: string}}], responses: {'200': {description: '%s', headers: {'%s': {schema: {}}}}}}"
	large := func(v string) string {
		args := make([]any, strings.Count(operation, "%s"))
		for i := range args {
			args[i] = v
		}
		return "paths: {/a: {get: " + fmt.Sprintf(operation, args...) + "}}\n"
	}
	schemas := func(s string) string { return "paths: {}\ncomponents:\n  schemas:\n" + s }
	nested := func(open, closed string, n int) string {
		return schemas("    A: " + strings.Repeat(open, n) + "{}" + strings.Repeat(closed, n) + "\n")
	}
	chain := func(format string, n int) string {
		return schemas(repeat2(n, "    A%[1]d: "+strings.ReplaceAll(format, "NEXT", "{$ref: '#/components/schemas/B%[1]d'}")+"\n    B%[1]d: {type: string}\n"))
	}
	return map[string]string{
		"descriptions of 1 MB":   "x: 1\n" + large(text[:1<<17]) + schemas("    A: {type: object, title: '" + text + "', description: '" + text + "', properties: {a: {type: string, description: '" + text + "'}}}\n")[len("paths: {}\n"):],
		"names of 1 MB":          large(key[:1<<17]),
		"path of 1 MB":           "paths: {'/" + key + "': {get: {}}}\n",
		"schema name of 1 MB":    schemas("    ? " + key + "\n    : {type: string}\n"),
		"property name of 1 MB":  schemas("    A: {type: object, required: ['" + key + "'], properties: {? '" + key + "' : {type: string}}}\n"),
		"enum value of 1 MB":     schemas("    A: {type: string, enum: ['" + key + "', b]}\n"),
		"default of 1 MB":        schemas("    A: {type: object, properties: {a: {type: string, default: '" + key + "'}}}\n"),
		"pattern of 1 MB":        schemas("    A: {type: string, pattern: '" + key + "'}\n    B: {type: object, patternProperties: {? '" + key + "' : {}}}\n"),
		"media type of 1 MB":     "paths: {/a: {post: {requestBody: {content: {? 'application/" + key + "' : {}}}}}}\n",
		"status of 1 MB":         "paths: {/a: {get: {responses: {? '" + key + "' : {description: d}}}}}\n",
		"server of 1 MB":         "paths: {}\nservers: [{url: 'https://x.test/" + key + "'}]\n",
		"server of variables":    "paths: {}\nservers: [{url: 'https://x.test/" + strings.Repeat("{a}", 1<<17) + "', variables: {a: {default: b}}}]\n",
		"reference of 1 MB":      schemas("    A: {$ref: '#/" + key + "'}\n"),
		"extension of 1 MB":      "paths: {}\nx-resilience: {" + key[:1<<17] + ": 1}\nx-" + key[:1<<17] + ": 1\n",
		"items 10,000 deep":      nested("{type: array, items: ", "}", 10_000),
		"allOf 10,000 deep":      nested("{allOf: [", "]}", 10_000),
		"properties 480 deep":    nested("{type: object, properties: {a: ", "}}", 480),
		"anyOf 490 deep":         nested("{anyOf: [{type: string}, ", "]}", 490),
		"not 900 deep":           nested("{not: ", "}", 900),
		"conditions 480 deep":    nested("{if: {type: object}, then: ", "}", 480),
		"many small schemas":     chain("{type: object, properties: {a: NEXT}}", 10_000),
		"many maps":              chain("{additionalProperties: NEXT}", 10_000),
		"many unions":            chain("{oneOf: [NEXT, {type: integer}]}", 5_000),
		"many aliases of one":    schemas("    S: {type: string}\n" + repeat2(20_000, "    A%d: {$ref: '#/components/schemas/S'}\n")),
		"one wide object":        schemas("    A: {type: object, properties: {" + repeat2(20_000, "p%d: {type: string}, ") + "}}\n"),
		"one wide union":         schemas("    A: {oneOf: [" + repeat2(2_000, "{type: object, required: [p%[1]d], properties: {p%[1]d: {type: string}}}, ") + "]}\n"),
		"one wide allOf":         schemas("    A: {allOf: [" + repeat2(5_000, "{properties: {p%d: {type: string}}}, ") + "]}\n"),
		"one wide discriminator": schemas("    A: {discriminator: {propertyName: k, mapping: {" + repeat2(5_000, "m%d: B, ") + "}}, oneOf: [{$ref: '#/components/schemas/B'}]}\n    B: {type: object, properties: {k: {type: string}}}\n"),
		"names that collide":     schemas("    A: {type: object, properties: {" + repeat2(3_000, "'a%d': {}, 'A-%[1]d': {}, 'a %[1]d': {}, ") + "}}\n"),
		"enum that collides":     schemas("    A: {type: string, enum: [" + repeat2(10_000, "'a-%d', 'a %[1]d', ") + "]}\n"),
		"large enums of numbers": schemas("    A: {type: integer, enum: [" + repeat2(30_000, "%d000000000000000000, ") + "]}\n"),
		"large numbers": schemas("    A: {type: string, minLength: 1e999999999, maxLength: 9223372036854775808}\n    B: {type: array, minItems: 99999999999999999999, maxItems: 1e30, items: {}}\n" +
			"    C: {type: object, minProperties: -1e999999999, maxProperties: 1.5e-999999999}\n    D: {type: integer, minimum: -1e999999999, maximum: 1e999999999, multipleOf: 1e-999999999, default: 1e999999999, enum: [1e999999999, 1e-999999999]}\n" +
			"    E: {type: number, exclusiveMinimum: 1e999999999, const: 1e999999999, example: 1e999999999}\n    F: {type: array, minContains: 1e999999999, maxContains: 9223372036854775808, contains: {}}\n"),
		"numbers of many digits": schemas("    A: {type: integer, minimum: " + strings.Repeat("9", 100_000) + ", multipleOf: 0." + strings.Repeat("3", 100_000) + "}\n"),
		"many parameters":        "paths: {/a: {get: {parameters: [" + repeat2(10_000, "{name: p%d, in: query, schema: {type: string}}, ") + "]}}}\n",
		"many responses":         "paths: {/a: {get: {responses: {" + repeat2(500, "'%d': {description: d}, ") + "}}}}\n",
		"many media types":       "paths: {/a: {post: {requestBody: {content: {" + repeat2(3_000, "application/x%d: {schema: {type: object}}, ") + "}}}}}\n",
		"many headers":           "paths: {/a: {get: {responses: {'200': {description: d, headers: {" + repeat2(5_000, "X-%d: {schema: {type: string}}, ") + "}}}}}}\n",
		"many security schemes":  "paths: {/a: {get: {security: [" + repeat2(3_000, "{S%d: []}, ") + "]}}}\ncomponents: {securitySchemes: {" + repeat2(3_000, "S%d: {type: http, scheme: bearer}, ") + "}}\n",
		"many servers":           "paths: {}\nservers: [" + repeat2(10_000, "{url: 'https://x%d.test'}, ") + "]\n",
		"many tags":              "paths: {/a: {get: {tags: [" + repeat2(10_000, "t%d, ") + "]}}}\ntags: [" + repeat2(10_000, "{name: t%d}, ") + "]\n",
		"same operationId":       "paths: {" + repeat2(3_000, "/p%d: {get: {operationId: a}}, ") + "}\n",
		"same path":              "paths: {" + repeat2(3_000, "'/p/{a%d}': {get: {}}, ") + "}\n",
		"path of many parts":     "paths: {'" + strings.Repeat("/a", 900) + "': {get: {}}, '" + strings.Repeat("/{a}", 900) + "': {get: {}}}\n",
		"20,000 operations":      "paths:\n" + repeat2(10_000, "  /p%[1]d/{id}: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], get: {operationId: get%[1]d, responses: {'200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}}}, post: {operationId: post%[1]d, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}, responses: {'204': {description: d}}}}\n") + "components: {schemas: {S: {type: object, properties: {a: {type: string}}}}}\n",
		"control characters":     "paths: {\"/a\\u0001\\0\\u2028\": {get: {operationId: \"a\\0b\", summary: \"*/ \\u202e \\0\", tags: [\"\\r\\n\"]}}}\n",
	}
}

func TestLargeDocuments(t *testing.T) {
	docs := largeDocuments()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		t.Run(name, func(t *testing.T) { lowerFiles(t, "a.yaml", head+docs[name]) })
	}
}

// mutable are the documents that are altered.
func mutable(limit int64) (paths []string, docs map[string][]byte) {
	docs = hostile.Documents(limit, "../../../testdata/specs", "../../../testdata/cases", "../../../../shared/corpus/specs")
	for path := range docs {
		if strings.Contains(path, "_multi") {
			delete(docs, path) // parts, which are no documents alone
		}
	}
	return slices.Sorted(maps.Keys(docs)), docs
}

// Altered documents are lowered without a panic, and within bounds.
func TestMutatedDocuments(t *testing.T) {
	paths, docs := mutable(1 << 17)
	if len(paths) == 0 {
		t.Fatal("there are no documents")
	}
	rounds := uint64(8)
	if testing.Short() {
		rounds = 1
	}
	for i, path := range paths {
		for seed := range rounds {
			seed = seed*1000 + uint64(i)
			lowerFiles(t, "a.yaml", string(hostile.Mutate(docs[path], seed)))
			if t.Failed() {
				t.Fatalf("%s with seed %d", path, seed)
			}
		}
	}
}

// FuzzMutated alters documents as seeds tell, and lowers them.
func FuzzMutated(f *testing.F) {
	paths, docs := mutable(1 << 15)
	for i := range min(len(paths), 60) {
		f.Add(i, uint64(i))
	}
	f.Fuzz(func(t *testing.T, doc int, seed uint64) {
		if doc >= 0 && doc < len(paths) {
			lowerFiles(t, "a.yaml", string(hostile.Mutate(docs[paths[doc]], seed)))
		}
	})
}
