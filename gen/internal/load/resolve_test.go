package load

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// refAt loads text, resolves the reference whose scalar stands at the pointer at,
// and returns the target with what was reported.
func refAt(t *testing.T, text, at string) (*Node, string) {
	t.Helper()
	d, l := loadText(t, text)
	from := d.Root.Root.At(at)
	ref, ok := from.Str()
	if !ok {
		t.Fatalf("no reference at %s", at)
	}
	n := d.Resolve(from, ref, l)
	if (n == nil) != l.HasErrors() {
		t.Errorf("target %v, but list says: %s", n, show(l))
	}
	return n, strings.ReplaceAll(show(l), filepath.Dir(d.Root.Name)+"/", "")
}

const sample = `openapi: "3.0.3"
paths:
  /w/{id}: {get: {responses: {"200": {description: ok}}}}
components:
  schemas:
    Pet: {type: string, enum: [a, b]}
    a/b~c%20d é: {type: integer}
    50%: {type: boolean}
    "": {type: "null"}
    Alias: {$ref: '#/components/schemas/Pet'}
    Loop: {$ref: '#/components/schemas/Loop'}
`

func TestPointers(t *testing.T) {
	for _, c := range []struct{ ref, want string }{
		{"#/components/schemas/Pet", "/components/schemas/Pet"},
		{"#", ""},
		{"#/components/schemas/Pet/enum/1", "/components/schemas/Pet/enum/1"},
		{"#/paths/~1w~1%7Bid%7D/get", "/paths/~1w~1{id}/get"},
		{"#/paths/~1w~1{id}/get/responses/200", "/paths/~1w~1{id}/get/responses/200"},
		{"#/components/schemas/a~1b~0c%2520d%20%C3%A9", "/components/schemas/a~1b~0c%20d é"},
		{"#/components/schemas/50%", "/components/schemas/50%"},
		{"#/components/schemas/", "/components/schemas/"},
		{"api.yaml#/components/schemas/Pet", "/components/schemas/Pet"},
		{"./api.yaml", ""},
		{"x/../%61pi.yaml#/openapi", "/openapi"},
	} {
		n, got := refAt(t, sample+"x: "+quote(c.ref)+"\n", "/x")
		if n == nil || n.Pointer() != c.want || got != "" {
			t.Errorf("%s: got %q, want %q; %s", c.ref, n.Pointer(), c.want, got)
		}
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func TestRepairedPointers(t *testing.T) {
	for _, c := range []struct{ ref, pointer, want string }{
		{"#/components/schemas/a~1b~0c%20d é", "/components/schemas/a~1b~0c%20d é", "api.yaml:13:4: warning: reference \"#/components/schemas/a~1b~0c%20d é\" has a literal \"%\" that must be written as %25"},
		{"#/components/schemas/Alias/enum/0", "/components/schemas/Pet/enum/0", "api.yaml:13:4: warning: reference \"#/components/schemas/Alias/enum/0\" leads through another $ref"},
	} {
		n, got := refAt(t, sample+"y: 1\nx: "+quote(c.ref)+"\n", "/x")
		if n.Pointer() != c.pointer || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, %swant %s", c.ref, n.Pointer(), got, c.want)
		}
	}
}

func TestReferencesThatFail(t *testing.T) {
	for _, c := range []struct{ ref, want string }{
		{"", `the reference is empty`},
		{"#/components/schemas/Pets", "reference \"#/components/schemas/Pets\" does not resolve: /components/schemas has no \"Pets\"\n    hint: did you mean \"#/components/schemas/Pet\"?"},
		{"#/componentz/schemas/Pet", "reference \"#/componentz/schemas/Pet\" does not resolve: the document has no \"componentz\"\n    hint: did you mean \"#/components/schemas/Pet\"?"},
		{"#/definitions/Pet", "reference \"#/definitions/Pet\" does not resolve: the document has no \"definitions\"\n    hint: did you mean \"#/components/schemas/Pet\"?"},
		{"#/components/schemas/Pet/enum/2", `reference "#/components/schemas/Pet/enum/2" does not resolve: /components/schemas/Pet/enum is a list of 2, without an element "2"`},
		{"#/components/schemas/Pet/enum/01", `reference "#/components/schemas/Pet/enum/01" does not resolve: /components/schemas/Pet/enum is a list of 2, without an element "01"`},
		{"#/components/schemas/Pet/type/x", `reference "#/components/schemas/Pet/type/x" does not resolve: /components/schemas/Pet/type is a string and has no parts`},
		{"#/components/schemas/Loop/type", `reference "#/components/schemas/Loop/type" does not resolve: /components/schemas/Loop has no "type"`},
		{"#components/schemas/Pet", "reference \"#components/schemas/Pet\" does not resolve: a fragment must start with \"#/\"\n    hint: write \"#/components/schemas/Pet\""},
		{"#Pet", `reference "#Pet" does not resolve: a fragment must start with "#/"`},
		{"Pet", "reference \"Pet\" does not resolve: Pet: no such file\n    hint: did you mean \"#/components/schemas/Pet\"?"},
		{"/components/schemas/Pet", "reference \"/components/schemas/Pet\" does not resolve: /components/schemas/Pet: no such file\n    hint: did you mean \"#/components/schemas/Pet\"?"},
		{`ext\x.yaml`, "reference \"ext\\\\x.yaml\" does not resolve: ext\\x.yaml: no such file\n    hint: write file names with slashes"},
		{"urn:x:y", `reference "urn:x:y" cannot be read: references can be files, http and https URLs`},
		{"ftp://h/x", `reference "ftp://h/x" cannot be read`},
		{"//h/x.yaml", `reference "//h/x.yaml" cannot be read: a reference to another host needs https:// in front`},
		{"https:///x", `reference "https:///x" cannot be read: the URL has no host`},
		{".", `reference "." does not resolve`},
		{"https://u:secret@h.invalid/x", `reference "https://u:xxxxx@h.invalid/x" does not resolve: https://u:xxxxx@h.invalid/x: remote references are off by default`},
	} {
		n, got := refAt(t, sample+"y: 1\nx: "+quote(c.ref)+"\n", "/x")
		if want := "api.yaml:13:4: " + c.want; n != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s:\ngot  %swant %s", c.ref, got, want)
		}
	}
}

func TestAFailingReferenceIsReportedOnce(t *testing.T) {
	d, l := loadText(t, sample+"x: '#/no'\ny: '#/no'\n")
	for range 3 {
		for _, key := range []string{"x", "y"} {
			if n := d.Resolve(d.Root.Root.Get(key), "#/no", l); n != nil {
				t.Fatal("resolved")
			}
		}
	}
	if l.Len() != 2 {
		t.Errorf("want one error for each of two references, got:\n%s", show(l))
	}
}

func TestExternalFiles(t *testing.T) {
	dir := write(t,
		"api/root.yaml", "openapi: 3.0.3\na: '../shared/one.json#/x/0'\nb: '../shared/one.json'\nc: '../shared/broken.yaml'\nd: '../shared/broken.yaml#/x'\n"+
			"e: '../shared/sp%20ace.yml#/v'\nf: '../shared/a?b.yml#/v'\ng: 'file://DIR/shared/one.json#/x'\nh: '../shared'\n",
		"shared/one.json", `{"x": ["#/y", "sub/two.yaml#/z"], "y": 1}`,
		"shared/sub/two.yaml", "z: '../one.json#/y'\nback: '../../api/root.yaml#/openapi'\nroot: '#/z'\n",
		"shared/broken.yaml", "x: [\n",
		"shared/sp ace.yml", "v: 1\n",
		"shared/a?b.yml", "v: 2\n",
	)
	t.Chdir(filepath.Join(dir, "api"))
	root, err := os.ReadFile("root.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("root.yaml", []byte(strings.ReplaceAll(string(root), "DIR", filepath.ToSlash(dir))), 0o600); err != nil {
		t.Fatal(err)
	}
	var l diag.List
	d := Load(context.Background(), Options{Path: "root.yaml"}, &l)
	if d == nil {
		t.Fatal(show(&l))
	}
	resolve := func(from *Node) *Node {
		text, _ := from.Str()
		return d.Resolve(from, text, &l)
	}
	get := func(key string) *Node { return resolve(d.Root.Root.Get(key)) }
	a := get("a")
	if got := a.Pos().String(); got != "../shared/one.json:1:8" {
		t.Errorf("a resolves to %s", got)
	}
	// A reference inside another file is relative to that file.
	y := resolve(a)
	if y.Pointer() != "/y" || y.File.Name != "../shared/one.json" {
		t.Errorf("#/y of one.json resolves to %s", y.Pos())
	}
	z := resolve(get("b").At("/x/1"))
	if got := z.Pos().String(); got != "../shared/sub/two.yaml:1:4" {
		t.Errorf("sub/two.yaml#/z resolves to %s", got)
	}
	if resolve(z) != y {
		t.Error("a file reached by two ways must be one file")
	}
	if back := resolve(z.File.Root.Get("back")); back != d.Root.Root.Get("openapi") {
		t.Errorf("the root reached from another file is %s", back.Pos())
	}
	if got := get("e"); got.File.Name != "../shared/sp ace.yml" {
		t.Errorf("e resolves to %s", got.Pos())
	}
	if got := get("f"); got == nil || got.Text != "2" {
		t.Errorf("f resolves to %s", got.Pos())
	}
	if got := get("g"); got != a.Parent {
		t.Errorf("a file URL resolves to %s", got.Pos())
	}
	if l.Len() != 0 {
		t.Errorf("unexpected: %s", show(&l))
	}
	// A broken file has its own error, once.
	if get("c") != nil || get("d") != nil {
		t.Error("a broken file resolves")
	}
	if got := show(&l); !strings.HasPrefix(got, "../shared/broken.yaml:1:4: the \"[\" is never closed") || l.Len() != 1 {
		t.Errorf("got %s", got)
	}
	if get("h") != nil || !strings.Contains(show(&l), "../shared: a folder, not a file") {
		t.Errorf("a folder: %s", show(&l))
	}
	names := []string{}
	for _, f := range d.Files() {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "root.yaml ../shared/one.json ../shared/sub/two.yaml ../shared/sp ace.yml ../shared/a?b.yml" {
		t.Errorf("files: %s", got)
	}
	if got := d.Lines("../shared/sub/two.yaml"); len(got) != 4 || got[2] != "root: '#/z'" || d.Lines("other") != nil {
		t.Errorf("lines: %q", got)
	}
}

func TestAnchorsAndIdentifiers(t *testing.T) {
	const text = `openapi: 3.1.0
ref1: '#here'
ref2: 'https://example.com/schemas/tree'
ref3: 'https://example.com/schemas/tree#/$defs/leaf'
ref4: 'https://example.com/schemas/tree#twig'
ref5: '#nowhere'
ref6: '#/components/schemas/Plain'
components:
  schemas:
    Plain: {$anchor: here, type: string}
    Tree:
      $id: https://example.com/schemas/tree
      properties: {$id: {type: string}}
      $defs:
        leaf: {type: integer}
        twig: {$anchor: twig, $dynamicAnchor: branch}
        other: {$id: other, $anchor: here}
      a: {$ref: '#/$defs/leaf'}
      b: {$ref: 'other'}
      c: {$ref: '#/components/schemas/Plain'}
      d: {$ref: '#branch'}
      e: {$ref: '#'}
`
	const tree = "/components/schemas/Tree"
	for at, want := range map[string]string{
		"/ref1": "/components/schemas/Plain", "/ref2": tree, "/ref3": tree + "/$defs/leaf", "/ref4": tree + "/$defs/twig",
		"/ref6": "/components/schemas/Plain", tree + "/a/$ref": tree + "/$defs/leaf", tree + "/b/$ref": tree + "/$defs/other",
		tree + "/c/$ref": "/components/schemas/Plain", tree + "/d/$ref": tree + "/$defs/twig", tree + "/e/$ref": tree,
	} {
		n, got := refAt(t, text, at)
		if n == nil || n.Pointer() != want || got != "" {
			t.Errorf("%s: got %q, want %s; %s", at, n.Pointer(), want, got)
		}
	}
	if n, got := refAt(t, text, "/ref5"); n != nil || !strings.HasPrefix(got, `api.yaml:6:7: reference "#nowhere" does not resolve: api.yaml has no $anchor "nowhere"`) {
		t.Errorf("got %s", got)
	}
	// OpenAPI 3.0 has neither.
	if n, _ := refAt(t, strings.Replace(text, "3.1.0", "3.0.3", 1), "/ref1"); n != nil {
		t.Error("an anchor in 3.0")
	}
	// A document of 3.2 may name itself.
	n, got := refAt(t, "openapi: 3.2.0\n$self: https://example.com/api/openapi\nx: 'https://example.com/api/openapi#/y'\ny: 1\n", "/x")
	if n.Pointer() != "/y" {
		t.Errorf("$self: %s", got)
	}
}

func loadRemote(t *testing.T, web *fakeWeb, opt Options, ref string) (*Document, *Node, string) {
	t.Helper()
	dir := write(t, "api.yaml", "openapi: 3.0.3\nx: "+quote(ref)+"\n")
	opt.Path, opt.AllowRemote, opt.Client = filepath.Join(dir, "api.yaml"), true, web.client()
	var l diag.List
	d := Load(context.Background(), opt, &l)
	n := d.Resolve(d.Root.Root.Get("x"), ref, &l)
	return d, n, strings.ReplaceAll(show(&l), dir+"/", "")
}

func TestRemoteReferences(t *testing.T) {
	web := &fakeWeb{t: t, pages: map[string]string{
		"https://h.test/a.yaml":       "x: 'sub/b.json#/y'\nlocal: 'file:///etc/passwd'\nup: /c.yaml\n",
		"https://h.test/sub/b.json":   `{"y": 1}`,
		"https://h.test/moved":        "-> https://other.test/d/a.yaml",
		"https://other.test/d/a.yaml": "x: 'e.yaml'\n",
		"https://other.test/d/e.yaml": "ok\n",
		"https://h.test/down":         "-> http://h.test/a.yaml",
		"https://h.test/odd":          "-> ftp://h.test/a.yaml",
		"https://h.test/round":        "-> https://h.test/round",
		"https://h.test/big":          "x: " + strings.Repeat("y", 2000),
		"https://h.test/broken":       "x: [",
	}}
	d, n, got := loadRemote(t, web, Options{}, "https://h.test/a.yaml#/x")
	if n.Pos().String() != "https://h.test/a.yaml:1:4" {
		t.Fatalf("got %s %s", n.Pos(), got)
	}
	var l diag.List
	if y := d.Resolve(n, n.Text, &l); y.Pos().String() != "https://h.test/sub/b.json:1:7" {
		t.Errorf("a relative reference of a remote file: %s %s", y.Pos(), show(&l))
	}
	calls := web.calls.Load()
	if d.Resolve(d.Root.Root.Get("x"), "https://h.test/a.yaml", &l) == nil || web.calls.Load() != calls {
		t.Error("a remote file must be fetched once")
	}
	if local := n.File.Root.Get("local"); d.Resolve(local, local.Text, &l) != nil ||
		!strings.Contains(show(&l), "a remote document can only refer to http and https URLs") {
		t.Errorf("a local file from a remote one: %s", show(&l))
	}
	// References are relative to where a redirect led.
	d, n, got = loadRemote(t, web, Options{}, "https://h.test/moved#/x")
	if e := d.Resolve(n, "e.yaml", &l); e == nil || e.Text != "ok" {
		t.Errorf("after a redirect: %s %s", got, show(&l))
	}
	for ref, want := range map[string]string{
		"https://h.test/none":   "https://h.test/none: the server answered 404 Not Found",
		"https://h.test/down":   "redirected from https to http",
		"https://h.test/odd":    "redirected to the scheme \"ftp\"",
		"https://h.test/round":  "more than 5 redirects",
		"https://h.test/big":    "larger than 1000 bytes",
		"https://h.test/broken": "https://h.test/broken:1:4: the \"[\" is never closed",
	} {
		if _, n, got := loadRemote(t, web, Options{MaxFileBytes: 1000}, ref); n != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %swant %s", ref, got, want)
		}
	}
}

func TestSlowRemoteFile(t *testing.T) {
	web := &fakeWeb{t: t, pages: map[string]string{"https://h.test/slow": "hang"}}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, n, got := loadRemote(t, web, Options{Timeout: 7 * time.Second}, "https://h.test/slow")
		if n != nil || !strings.Contains(got, "https://h.test/slow: fetching failed: no answer within 7s") {
			t.Errorf("got %s", got)
		}
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestRemoteRoot(t *testing.T) {
	web := &fakeWeb{t: t, pages: map[string]string{
		"https://h.test/api/openapi.json": `{"openapi": "3.1.1", "x": "b.json"}`,
		"https://h.test/api/b.json":       `true`,
	}}
	var l diag.List
	d := Load(context.Background(), Options{Path: "https://h.test/api/openapi.json", AllowRemote: true, Client: web.client()}, &l)
	if d == nil || d.Version != V31 || d.Resolve(d.Root.Root.Get("x"), "b.json", &l) == nil {
		t.Error(show(&l))
	}
	none := &fakeWeb{t: t}
	if d := Load(context.Background(), Options{Path: "https://u:pw@h.test/x", Client: none.client()}, &l); d != nil {
		t.Error("loaded without leave")
	}
	if got := show(&l); !strings.HasPrefix(got, "https://u:xxxxx@h.test/x: cannot read the document: remote references are off by default") {
		t.Errorf("got %s", got)
	}
	var _ http.RoundTripper = none
}
