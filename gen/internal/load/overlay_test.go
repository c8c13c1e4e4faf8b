package load

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

const overlayHead = "overlay: 1.1.0\ninfo: {title: x, version: 1.0.0}\nactions:\n"

// overlaid loads a document with overlays over it, whose heads are added where
// they have none. Under strict each repair is an error.
func overlaid(t *testing.T, strict bool, doc string, overlays ...string) (*Document, *diag.List) {
	t.Helper()
	if !strings.Contains(doc, "openapi:") {
		doc = "openapi: 3.1.0\n" + doc
	}
	files := []string{"api.yaml", doc}
	for i, o := range overlays {
		if !strings.Contains(o, "overlay:") {
			o = overlayHead + o
		}
		files = append(files, fmt.Sprintf("o%d.yaml", i+1), o)
	}
	dir := write(t, files...)
	opt := Options{Path: filepath.Join(dir, "api.yaml")}
	for i := range overlays {
		opt.Overlays = append(opt.Overlays, filepath.Join(dir, files[2+2*i]))
	}
	l := &diag.List{Strict: strict}
	return Load(context.Background(), opt, l), l
}

// after is the document at a pointer as JSON, once overlays have been applied
// without any complaint.
func after(t *testing.T, at, doc string, overlays ...string) string {
	t.Helper()
	d, l := overlaid(t, true, doc, overlays...)
	if l.Len() > 0 {
		t.Fatalf("%s\n%s", overlays, show(l))
	}
	return string(d.Root.Root.At(at).JSON())
}

// The rules for merging of Overlay 1.1, section Action Object.
func TestOverlayUpdates(t *testing.T) {
	t.Parallel()
	const doc = "info: {title: A, contact: {name: N}, x-list: [1, {a: 1}], x-none: null}\n"
	for _, c := range []struct{ name, action, at, want string }{
		{"only in the target", "- {target: $.info, update: {x-new: 1}}", "/info/title", `"A"`},
		{"only in the update", "- {target: $.info, update: {x-new: {b: [1]}}}", "/info/x-new", `{"b":[1]}`},
		{"single values", "- {target: $.info, update: {title: B}}", "/info/title", `"B"`},
		{"single values of other types", "- {target: $.info, update: {title: 1, x-none: true}}", "/info", `{"title":1,"contact":{"name":"N"},"x-list":[1,{"a":1}],"x-none":true}`},
		{"lists concatenate", "- {target: $.info, update: {x-list: [2, 3]}}", "/info/x-list", `[1,{"a":1},2,3]`},
		{"mappings merge", "- {target: $, update: {info: {contact: {url: U}}}}", "/info/contact", `{"name":"N","url":"U"}`},
		{"nothing after the colon adds nothing", "- target: $\n  update:\n    info:\n", "/info/title", `"A"`},
		{"a list to a list", "- {target: \"$.info['x-list']\", update: [2, [3]]}", "/info/x-list", `[1,{"a":1},2,[3]]`},
		{"a mapping to a list", "- {target: \"$.info['x-list']\", update: {b: 2}}", "/info/x-list", `[1,{"a":1},{"b":2}]`},
		{"a single value to a list", "- {target: \"$.info['x-list']\", update: null}", "/info/x-list", `[1,{"a":1},null]`},
		{"a single value by itself", "- {target: $.info.title, update: B}", "/info/title", `"B"`},
		{"an element by itself", "- {target: \"$.info['x-list'][0]\", update: B}", "/info/x-list", `["B",{"a":1}]`},
		{"several nodes", "- {target: \"$..[?@.name || @.a]\", update: {z: 1}}", "/info", `{"title":"A","contact":{"name":"N","z":1},"x-list":[1,{"a":1,"z":1}],"x-none":null}`},
		{"one node twice", "- {target: \"$.info['x-list','x-list']\", update: 2}", "/info/x-list", `[1,{"a":1},2]`},
		{"each action on the result of the last", "- {target: $.info, update: {x-a: {}}}\n- {target: \"$.info['x-a']\", update: {b: 1}}", "/info/x-a", `{"b":1}`},
		{"removed and made anew", "- {target: $.info.contact, remove: true}\n- {target: $.info, update: {contact: 1}}", "/info/contact", `1`},
		{"remove: false", "- {target: $.info.contact, remove: false, update: {name: M}}", "/info/contact", `{"name":"M"}`},
		{"remove elements", "- {target: \"$.info['x-list'][*]\", remove: true}", "/info/x-list", `[]`},
		{"remove what a filter finds", "- {target: \"$.info['x-list'][?@ == 1]\", remove: true}", "/info/x-list", `[{"a":1}]`},
		{"copy a mapping", "- {target: $.info, copy: $.info.contact}", "/info/name", `"N"`},
		{"copy into a list", "- {target: \"$.info['x-list']\", copy: $.info.contact}", "/info/x-list", `[1,{"a":1},{"name":"N"}]`},
		{"copy a list into a list", "- {target: \"$.info['x-list']\", copy: \"$.info['x-list']\"}", "/info/x-list", `[1,{"a":1},1,{"a":1}]`},
		{"copy the whole into a part", "- {target: $.info.contact, copy: $.info}", "/info/contact", `{"name":"N","title":"A","contact":{"name":"N"},"x-list":[1,{"a":1}],"x-none":null}`},
		{"copy a single value", "- {target: $.info.title, copy: $.openapi}", "/info/title", `"3.1.0"`},
		{"slices and negative indices", "- {target: \"$.info['x-list'][::-1][?@==1]\", remove: true}\n- {target: \"$.info['x-list'][-1]\", update: {b: 2}}", "/info/x-list", `[1,{"b":2}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := after(t, c.at, doc, c.action); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// What each version refuses or takes for a departure, at its place in the overlay.
func TestOverlayFaults(t *testing.T) {
	t.Parallel()
	const doc = "info: {title: A, contact: {name: N}, x-list: [1]}\n"
	const v10 = "overlay: 1.0.0\ninfo: {title: x, version: 1.0.0}\nactions:\n"
	for _, c := range []struct{ name, overlay, want string }{
		{"object onto list", "- {target: $.info, update: {x-list: {a: 1}}}", "o1.yaml:4:37: a mapping cannot be merged with the list at /info/x-list"},
		{"list onto object", "- {target: $.info.contact, update: [1]}", "o1.yaml:4:36: a list cannot be merged with the mapping at /info/contact"},
		{"null onto object", "- {target: $.info, update: {contact: null}}", "o1.yaml:4:38: null cannot be merged with the mapping at /info/contact"},
		{"object onto string", "- {target: $.info.title, update: {a: 1}}", "o1.yaml:4:34: a mapping cannot be merged with the string at /info/title"},
		{"mixed targets", "- {target: $.info.*, update: {a: 1}}", "o1.yaml:4:12: the target selects lists and mappings and single values at once"},
		{"remove the root", "- {target: $, remove: true}", "o1.yaml:4:12: the whole document cannot be removed"},
		{"copy of nothing", "- {target: $.info, copy: $.nope}", "o1.yaml:4:26: copy must select one node, $.nope selects 0"},
		{"copy of two", "- {target: $.info, copy: '$.info[*]'}", "copy must select one node, $.info[*] selects 3"},
		{"copy and update", "- {target: $, copy: $, update: {}}", "o1.yaml:4:15: update and copy exclude each other"},
		{"copy in 1.0", v10 + "- {target: $, copy: $.info}", "o1.yaml:4:15: copy is not part of Overlay 1.0"},
		{"no match", "- {target: $.inof, update: {a: 1}}", `o1.yaml:4:12: $.inof matches nothing in the document
`},
		{"no match's hint", "- {target: $.info.titel, update: {a: 1}}", `/info has no "titel": did you mean "title"?`},
		{"behind a reference", "|- {target: \"$.paths['/r'].get\", update: {a: 1}}", "/paths/~1r is a reference to ./r.yaml: what it leads to has a place of its own"},
		{"single value in 1.0", v10 + "- {target: $.info.title, update: B}", "o1.yaml:4:12: Overlay 1.0 updates mappings and lists only, this target is a string"},
		{"list onto list in 1.0", v10 + "- {target: \"$.info['x-list']\", update: [2]}", "o1.yaml:4:40: in Overlay 1.0 an update of a list is one entry"},
		{"element removed in 1.0", v10 + "- {target: \"$.info['x-list'][0]\", remove: true}", "o1.yaml:4:12: Overlay 1.0 removes no single value of a list"},
		{"description in 1.0", "overlay: 1.0.0\ninfo: {title: x, version: '1', description: d}\nactions: [{target: $, update: {x-a: 1}}]", "o1.yaml:2:32: info has a description only from Overlay 1.1 on"},
		{"hyphen after a dot", "- {target: $.info.x-list, update: 1}", `o1.yaml:4:12: "$.info.x-list" is no JSONPath: after a dot`},
		{"the hyphen's hint", "- {target: $.info.x-list, update: 1}", "write $.info['x-list']; read as that"},
		{"no path", "- {target: '$.paths./users', update: {}}", "o1.yaml:4:12: \"$.paths./users\" is no JSONPath: "},
		{"a pointer", "- {target: '#/info/x-list/0', update: {}}", "a JSON pointer is written as $['info']['x-list'][0]"},
		{"unknown key", "- {target: $, updaet: {}}", "o1.yaml:4:15: unknown field \"updaet\" of an action\n    hint: did you mean update?"},
		{"nothing to do", "- {target: $}", "o1.yaml:4:3: warning: the action does nothing"},
		{"update beside remove", "- {target: $.info.title, remove: true, update: 1}", "o1.yaml:4:40: warning: update has no effect beside remove: true"},
		{"no overlay", "openapi: 3.1.0\nx-overlay: 1\n# overlay:", "o1.yaml:1:1: the field \"overlay\" is missing: this is no overlay\n    hint: this is an OpenAPI document"},
		{"unknown version", "overlay: 2.0.0\n", `o1.yaml:1:10: overlay "2.0.0" is not supported (1.0.x, 1.1.x)`},
		{"number", "overlay: 1.1\n", `o1.yaml:1:10: overlay must be a version such as "1.1.0", got number 1.1`},
		{"short version", "overlay: '1.1'\ninfo: {title: x, version: '1'}\nactions: [{target: $, update: {x-a: 1}}]", `overlay "1.1" is no full version such as "1.1.0"; read as 1.1`},
		{"the same twice", "- {target: $.info, update: {x-a: 1}}\n- {target: $.info, update: {x-a: 1}}", "o1.yaml:5:3: the same action stands in the list twice"},
		{"another document", "overlay: 1.0.0\ninfo: {title: x, version: '1'}\nextends: ./other.yaml\nactions: [{target: $, update: {x-a: 1}}]", "o1.yaml:3:10: note: the overlay says that it is for ./other.yaml"},
		{"a costly filter", "- {target: '$..[?@..[?@..[?@.*[*][*][*][*][*]]]]', update: {}}", "would take too long"},
		{"a filter over the whole", "- {target: '$..[?$..a]', update: {}}", "would take too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc, overlay := doc, c.overlay
			if _, actions, ok := strings.Cut(overlay, "|"); ok {
				doc, overlay = doc+"paths: {/r: {$ref: ./r.yaml}}\n", actions
			}
			_, l := overlaid(t, true, doc, overlay)
			if got := show(l); !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant %s", got, c.want)
			}
		})
	}
}

// A departure that is repaired still has its effect.
func TestOverlayRepairs(t *testing.T) {
	t.Parallel()
	const v10 = "overlay: 1.0.0\ninfo: {title: x, version: 1.0.0}\nactions:\n"
	d, l := overlaid(t, false, "info: {title: A, x-list: [1]}\n", v10+`- {target: $.info.title, update: B}
- {target: "$.info.x-list", update: [2, 3]}
- {target: "$.info['x-list'][0]", remove: true}
- {target: $.nope, remove: true}
`)
	if l.HasErrors() || l.Len() == 0 {
		t.Fatal(show(l))
	}
	if got, want := string(d.Root.Root.Get("info").JSON()), `{"title":"B","x-list":[2,3]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// levels renders the x-resilience at a pointer, the weakest level first.
func levels(d *Document, at string) []string {
	holder := d.Root.Root.At(at)
	var out []string
	if own := holder.Get(Annotation); own != nil {
		out = append(out, string(own.JSON()))
	}
	for _, m := range d.Layers(holder) {
		out = append(out, string(m.Value.JSON()))
	}
	return out
}

func TestOverlayLayers(t *testing.T) {
	t.Parallel()
	const doc = `x-resilience: {version: 1, apply: [a]}
tags: [{name: t, x-resilience: strict}]
paths:
  /a:
    x-resilience: {retry: false}
    get: {x-resilience: {timeout: {attempt: 1s}}}
    post: {callbacks: {done: {'{$url}': {post: {x-resilience: {a: 1}}}}}}
    put: {}
components:
  schemas: {S: {properties: {x-resilience: {type: string}}, x-resilience: {a: [1]}}}
  pathItems: {p: {query: {x-resilience: off}, additionalOperations: {copy: {x-resilience: 1}}}}
`
	for _, c := range []struct {
		name     string
		overlays []string
		at       string
		want     []string
	}{
		{"a level, never merged", []string{"- {target: $, update: {x-resilience: {version: 1, apply: [b]}}}"}, "", []string{`{"version":1,"apply":["a"]}`, `{"version":1,"apply":["b"]}`}},
		{"other types are no conflict", []string{"- {target: '$.tags[0]', update: {x-resilience: {retry: false}}}"}, "/tags/0", []string{`"strict"`, `{"retry":false}`}},
		{"deep within an update", []string{"- {target: $, update: {paths: {/a: {get: {x-resilience: null}}}}}"}, "/paths/~1a/get", []string{`{"timeout":{"attempt":"1s"}}`, `null`}},
		{"the first of a holder without one is its own", []string{"- {target: $.paths.*.put, update: {x-resilience: {b: 1}}}"}, "/paths/~1a/put", []string{`{"b":1}`}},
		{"several overlays, in order", []string{"- {target: $.paths.*, update: {x-resilience: {b: 1}}}", "- {target: $.paths.*, update: {x-resilience: {b: 2}}}"}, "/paths/~1a", []string{`{"retry":false}`, `{"b":1}`, `{"b":2}`}},
		{"callbacks", []string{"- {target: $..done.*.post, update: {x-resilience: {b: 1}}}"}, "/paths/~1a/post/callbacks/done/{$url}/post", []string{`{"a":1}`, `{"b":1}`}},
		{"path items of components", []string{"- {target: $..query, update: {x-resilience: {b: 1}}}"}, "/components/pathItems/p/query", []string{`"off"`, `{"b":1}`}},
		{"additional operations", []string{"- {target: $..additionalOperations.*, update: {x-resilience: {b: 1}}}"}, "/components/pathItems/p/additionalOperations/copy", []string{`1`, `{"b":1}`}},
		{"a property of that name is no holder's", []string{"- {target: $.components.schemas.S.properties, update: {x-resilience: {format: date}}}"}, "/components/schemas/S/properties", []string{`{"type":"string","format":"date"}`}},
		{"nor is that of a schema", []string{"- {target: $.components.schemas.S, update: {x-resilience: {a: [2]}}}"}, "/components/schemas/S", []string{`{"a":[1,2]}`}},
		{"remove drops all below", []string{"- {target: $, update: {x-resilience: {b: 1}}}", "- {target: \"$['x-resilience']\", remove: true}\n- {target: $, update: {x-resilience: {b: 2}}}"}, "", []string{`{"b":2}`}},
		{"remove what a filter finds, and below", []string{"- {target: $, update: {x-resilience: {b: 1}}}\n- {target: $, update: {x-resilience: {b: 2}}}\n- {target: '$[?@.b == 1]', remove: true}"}, "", []string{`{"b":2}`}},
		{"an annotation itself is data", []string{"- {target: \"$['x-resilience']\", update: {apply: [b]}}"}, "", []string{`{"version":1,"apply":["a","b"]}`}},
		{"of several levels the last is changed", []string{"- {target: $.paths.*, update: {x-resilience: {retry: {max: 1}, b: 1}}}\n- {target: \"$.paths.*['x-resilience']\", update: {b: 2}}"}, "/paths/~1a", []string{`{"retry":false}`, `{"retry":{"max":1},"b":2}`}},
		{"of those that have it", []string{"- {target: $.paths.*.get, update: {x-resilience: {b: 1}}}\n- {target: \"$.paths.*.get['x-resilience'].timeout\", update: {total: 2s}}"}, "/paths/~1a/get", []string{`{"timeout":{"attempt":"1s","total":"2s"}}`, `{"b":1}`}},
		{"a part is removed from all", []string{"- {target: $.paths.*.get, update: {x-resilience: {timeout: 1s, b: 1}}}\n- {target: \"$.paths.*.get['x-resilience'].timeout\", remove: true}"}, "/paths/~1a/get", []string{`{}`, `{"b":1}`}},
		{"copied with its levels", []string{"- {target: $.paths.*.get, update: {x-resilience: {b: 1}}}\n- {target: $.paths.*.put, copy: \"$.paths['/a'].get\"}"}, "/paths/~1a/put", []string{`{"timeout":{"attempt":"1s"}}`, `{"b":1}`}},
		{"copied below, with its levels", []string{"- {target: $.paths.*.get, update: {x-resilience: {b: 1}}}\n- {target: $.paths, update: {/b: {}}}\n- {target: \"$.paths['/b']\", copy: \"$.paths['/a']\"}"}, "/paths/~1b/get", []string{`{"timeout":{"attempt":"1s"}}`, `{"b":1}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, l := overlaid(t, true, doc, c.overlays...)
			if l.Len() > 0 {
				t.Fatal(show(l))
			}
			if diff := cmp.Diff(c.want, levels(d, c.at)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Every node has the place where it was written, and a pointer in the result.
func TestOverlayPositions(t *testing.T) {
	t.Parallel()
	d, l := overlaid(t, true, "info:\n  title: A\n  version: '1'\npaths: {/a: {get: {x-resilience: {a: 1}}}}\n", `- target: $.info
  update:
    title: B
    x-new: [1]
- target: $.info.version
  update: '2'
- target: $.paths['/a'].get
  update: {x-resilience: {b: {c: 1}}}
`)
	if l.Len() > 0 {
		t.Fatal(show(l))
	}
	check := func(what string, got diag.Pos, want string) {
		t.Helper()
		if p := got.String(); !strings.HasSuffix(p, want) {
			t.Errorf("%s stands at %s, want %s", what, p, want)
		}
	}
	info := d.Root.Root.Get("info")
	title, _ := info.Member("title")
	check("info", info.Pos(), "api.yaml:3:3")
	check("the key of the title", title.Pos(), "o1.yaml:6:5")
	check("the title", title.Value.Pos(), "o1.yaml:6:12")
	check("the element", info.At("/x-new/0").Pos(), "o1.yaml:7:13")
	check("the version", info.Get("version").Pos(), "o1.yaml:9:11")
	layer := d.Layers(d.Root.Root.At("/paths/~1a/get"))[0]
	check("the key of the layer", layer.Pos(), "o1.yaml:11:12")
	if got, want := layer.Value.At("/b/c").Pointer(), "/paths/~1a/get/x-resilience/b/c"; got != want {
		t.Errorf("pointer %s, want %s", got, want)
	}
	if lines := d.Lines(layer.Value.File.Name); len(lines) == 0 || lines[0] != "overlay: 1.1.0" {
		t.Errorf("lines of the overlay: %q", lines)
	}
}

// A change at one place leaves alone what YAML shares with others.
func TestOverlayLeavesAliasesAlone(t *testing.T) {
	t.Parallel()
	const doc = `paths:
  /a: &a {get: &op {summary: S, tags: [t]}}
  /b: *a
  /c: {get: *op}
  /d: {get: {<<: *op, summary: D}}
`
	for _, c := range []struct{ target, want string }{
		{"$.paths['/a'].get", `{"/a":{"get":{"summary":"N","tags":["t"]}},"/b":{"get":{"summary":"S","tags":["t"]}},"/c":{"get":{"summary":"S","tags":["t"]}},"/d":{"get":{"tags":["t"],"summary":"D"}}}`},
		{"$.paths['/b'].get", `{"/a":{"get":{"summary":"S","tags":["t"]}},"/b":{"get":{"summary":"N","tags":["t"]}},"/c":{"get":{"summary":"S","tags":["t"]}},"/d":{"get":{"tags":["t"],"summary":"D"}}}`},
		{"$.paths['/c'].get", `{"/a":{"get":{"summary":"S","tags":["t"]}},"/b":{"get":{"summary":"S","tags":["t"]}},"/c":{"get":{"summary":"N","tags":["t"]}},"/d":{"get":{"tags":["t"],"summary":"D"}}}`},
		{"$.paths.*.get", `{"/a":{"get":{"summary":"N","tags":["t"]}},"/b":{"get":{"summary":"N","tags":["t"]}},"/c":{"get":{"summary":"N","tags":["t"]}},"/d":{"get":{"tags":["t"],"summary":"N"}}}`},
	} {
		d, l := overlaid(t, true, doc, "- {target: \""+c.target+"\", update: {summary: N}}")
		if l.Len() > 0 {
			t.Fatal(show(l))
		}
		paths := d.Root.Root.Get("paths")
		if diff := cmp.Diff(plainValue(mustParse(t, "w.json", c.want)), plainValue(paths)); diff != "" {
			t.Errorf("%s: %s", c.target, diff)
		}
		checkPointers(t, d.Root.Root)
	}
	got := after(t, "/paths", doc, "- {target: \"$.paths['/d'].get.tags\", update: u}")
	if want := `{"/a":{"get":{"summary":"S","tags":["t"]}},"/b":{"get":{"summary":"S","tags":["t"]}},"/c":{"get":{"summary":"S","tags":["t"]}},"/d":{"get":{"tags":["t","u"],"summary":"D"}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// checkPointers demands that the pointer of each node below root leads to a node
// that is equal to it.
func checkPointers(t *testing.T, root *Node) {
	t.Helper()
	var walk func(n *Node)
	walk = func(n *Node) {
		at := root.At(n.Pointer())
		if at == nil || string(at.JSON()) != string(n.JSON()) {
			t.Errorf("%s leads to %s, not to %s", n.Pointer(), at.JSON(), n.JSON())
		}
		for _, m := range n.Members {
			walk(m.Value)
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	walk(root)
}

// A reference in an overlay is one of the document that it is applied to.
func TestOverlayReferences(t *testing.T) {
	t.Parallel()
	dir := write(t,
		"api/api.yaml", "openapi: 3.1.0\ncomponents: {schemas: {A: {type: string, $anchor: a}}}\n",
		"api/more.yaml", "B: {type: integer}\n",
		"over/o.yaml", overlayHead+"- {target: $.components.schemas, update: {C: {$ref: '#/components/schemas/A'}, D: {$ref: 'more.yaml#/B'}, E: {$ref: '#a'}, F: {$anchor: f}, G: {$ref: '#f'}}}\n")
	l := &diag.List{}
	d := Load(context.Background(), Options{Path: filepath.Join(dir, "api/api.yaml"), Overlays: []string{filepath.Join(dir, "over/o.yaml")}}, l)
	schemas := d.Root.Root.At("/components/schemas")
	for name, want := range map[string]string{"C": `"type":"string"`, "D": `"type":"integer"`, "E": `"type":"string"`, "G": `"$anchor":"f"`} {
		ref := schemas.Get(name).Get("$ref")
		n := d.Resolve(ref, ref.Text, l)
		if n == nil || !strings.Contains(string(n.JSON()), want) {
			t.Errorf("%s: %s, want %s: %s", name, n.JSON(), want, show(l))
		}
	}
	if schemas.Get("C").Home() != d.Root {
		t.Error("a node of the overlay is not at home in the document")
	}
}

// An overlay may mend the version, before it is looked at.
func TestOverlayOfTheVersion(t *testing.T) {
	t.Parallel()
	d, l := overlaid(t, true, "openapi: 3.9.0\n", "- {target: $, update: {openapi: 3.1.0}}")
	if d == nil || d.Version != V31 {
		t.Fatal(show(l))
	}
}

// One mistake is one report: what is missing because of a strange name is not told as well.
func TestOverlayMistakesOnce(t *testing.T) {
	t.Parallel()
	const head = "overlay: 1.1.0\ninfo: {title: x, version: '1'}\n"
	for _, c := range []struct{ name, overlay, want string }{
		{"actions", head + "actoins: []\n", "o1.yaml:3:1: unknown field \"actoins\" of an overlay\n    hint: did you mean actions?\n"},
		{"info", "overlay: 1.1.0\nifno: {title: x, version: '1'}\nactions: [{target: $, update: {x-a: 1}}]\n", "o1.yaml:2:1: unknown field \"ifno\" of an overlay\n    hint: did you mean info?\n"},
		{"version", "overlay: 1.1.0\ninfo: {title: x, versoin: '1'}\nactions: [{target: $, update: {x-a: 1}}]\n", "o1.yaml:2:18: unknown field \"versoin\" of info\n    hint: did you mean version?\n"},
		{"target", head + "actions: [{targte: $, update: {x-a: 1}}]\n", "o1.yaml:3:12: unknown field \"targte\" of an action\n    hint: did you mean target?\n"},
		{"update", head + "actions: [{target: $, updte: {x-a: 1}}]\n", "o1.yaml:3:23: unknown field \"updte\" of an action\n    hint: did you mean update?\n"},
		{"null", head + "actions:\n", "o1.yaml:3:9: actions must be a list of at least one action, got null\n"},
		{"empty", head + "actions: []\n", "o1.yaml:3:10: actions must be a list of at least one action, got an empty list\n"},
		{"unfinished path", head + "actions: [{target: '$.paths[', update: {x-a: 1}}]\n", "o1.yaml:3:20: \"$.paths[\" is no JSONPath: it ends before it is complete\n"},
		{
			"annotation of the overlay", head + "x-resilience: {version: 1}\nactions: [{target: $, update: {x-a: 1}}]\n",
			"o1.yaml:3:1: x-resilience is of no operation here, among the fields of an overlay\n    hint: write it below the update of an action, whose target has it then\n",
		},
		{
			"annotation beside an update", head + "actions: [{target: $, update: {x-a: 1}, x-resilience: false}]\n",
			"o1.yaml:3:41: x-resilience is of no operation here, among the fields of an action\n    hint: write it below the update of an action, whose target has it then\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, l := overlaid(t, true, "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\n", c.overlay)
			got := show(l)
			if i := strings.Index(got, "o1.yaml"); i > 0 {
				got = got[i:] // without its folder
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
