package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// shippedBinary builds the tool as users have it, with its own generator; the other tests
// run one whose generator writes what they tell it to.
var shippedBinary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(binary), "holdfast-shipped")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the tool: %w\n%s", err, out)
	}
	return path, nil
})

// shippedCommand is a command of the tool as users have it.
func shippedCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := shippedBinary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	return cmd
}

// shipped runs the tool as users have it.
func shipped(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return finished(t, shippedCommand(t, dir, args...))
}

// shop is a document with two tags, and a schema that only one of them uses.
const shop = `openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /orders:
    get: {operationId: listOrders, tags: [orders], responses: {'200': {description: all, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}}}
  /orders/{id}:
    get:
      operationId: getOrder
      tags: [orders]
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: one, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
  /admin/purge:
    post: {operationId: purge, tags: [admin], responses: {'200': {description: done, content: {application/json: {schema: {$ref: '#/components/schemas/Report'}}}}}}
components:
  schemas:
    Order: {type: object, properties: {lines: {type: array, items: {$ref: '#/components/schemas/Line'}}}}
    Line: {type: object, properties: {sku: {type: string}}}
    Report: {type: object, properties: {count: {type: integer}}}
`

// generated runs generate over shop and gives the package.
func generated(t *testing.T, args ...string) map[string]string {
	t.Helper()
	dir := project(t, map[string]string{"openapi.yaml": shop})
	all := append([]string{"generate", "--spec", "openapi.yaml", "--out", "out"}, args...)
	shipped(t, dir, all...).want(t, 0, "", "")
	return tree(t, filepath.Join(dir, "out"))
}

// declares reports whether a package has a text in any of its files.
func declares(files map[string]string, text string) bool {
	for name, data := range files {
		if strings.HasSuffix(name, ".go") && strings.Contains(data, text) {
			return true
		}
	}
	return false
}

const (
	aClient = "type Client struct"
	aServer = "func NewHandler("
)

func TestSides(t *testing.T) {
	for flag, want := range map[string][2]bool{
		"--package=out": {true, true}, "--client-only": {true, false}, "--server-only": {false, true}, "--models-only": {false, false},
	} {
		files := generated(t, flag)
		if got := [2]bool{declares(files, aClient), declares(files, aServer)}; got != want || !declares(files, "type Order struct") {
			t.Errorf("%s: client and server %v, want %v; the models are there: %v", flag, got, want, declares(files, "type Order struct"))
		}
	}
	for name, text := range generated(t, "--package", "shopping") {
		if !strings.Contains(text, "\npackage shopping\n") {
			t.Errorf("%s is of another package", name)
		}
	}
}

// Filters choose operations, and with them the schemas that are left in use.
func TestFilters(t *testing.T) {
	for _, tt := range []struct {
		args string
		want string // operations and schemas
	}{
		{"", "ListOrders GetOrder Purge Order Line Report"},
		{"--include tag:orders", "ListOrders GetOrder Order Line"},
		{"--include tag:admin", "Purge Report"},
		{"--include path:/orders", "ListOrders Order Line"},
		{"--include path:/orders/*", "GetOrder Order Line"},
		{"--include path:/** --exclude path:/orders/**", "ListOrders Purge Order Line Report"},
		{"--include operation:get*", "GetOrder Order Line"},
		{"--include purge --include getOrder", "GetOrder Purge Order Line Report"},
		{"--exclude tag:orders", "Purge Report"},
		{"--exclude *Order*", "Purge Report"},
		{"--include tag:orders --exclude operation:list*", "GetOrder Order Line"},
	} {
		files := generated(t, strings.Fields(tt.args)...)
		var got []string
		for _, op := range []string{"ListOrders", "GetOrder", "Purge"} {
			if declares(files, "func (c *Client) "+op+"(") != declares(files, "\t"+op+"(ctx context.Context") {
				t.Errorf("%s: %s is on one side only", tt.args, op)
			}
			if declares(files, "func (c *Client) "+op+"(") {
				got = append(got, op)
			}
		}
		for _, schema := range []string{"Order", "Line", "Report"} {
			if declares(files, "type "+schema+" struct") {
				got = append(got, schema)
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.args, text, tt.want)
		}
	}
	dir := project(t, map[string]string{"openapi.yaml": shop})
	shipped(t, dir, "generate", "--spec", "openapi.yaml", "--out", "out", "--include", "tag:order").want(t, 1, "", "order")
	if files := tree(t, filepath.Join(dir, "out")); len(files) != 0 {
		t.Errorf("a filter that selects nothing has written %v", slices.Collect(maps.Keys(files)))
	}
}

// What is repaired is told with its place, and an error under --strict.
func TestStrict(t *testing.T) {
	twice := strings.Replace(shop, "operationId: purge", "operationId: getOrder", 1)
	dir := project(t, map[string]string{"openapi.yaml": twice})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	shipped(t, dir, append(args, "--strict")...).want(t, 1, "", "openapi.yaml:13:")
	if files := tree(t, filepath.Join(dir, "out")); len(files) != 0 {
		t.Errorf("written: %d files", len(files))
	}
	r := shipped(t, dir, args...)
	r.want(t, 0, "", "warning: ")
	r.want(t, 0, "", "openapi.yaml:13:")
	if files := tree(t, filepath.Join(dir, "out")); !declares(files, aClient) {
		t.Error("nothing was written")
	}
}

// withDynamic gives the operation purge a parameter that is not supported: two schemas
// have the anchor that it refers to, and no style of a parameter has a layout for both.
func withDynamic(text string) string {
	const lines = `    Tree: {$dynamicAnchor: node, type: object, properties: {child: {$dynamicRef: '#node'}}}
    Named: {$id: 'https://example.com/named', $dynamicAnchor: node, $ref: '#/components/schemas/Tree', properties: {name: {type: string}}}
`
	text = strings.Replace(text, "tags: [admin],", "tags: [admin], parameters: [{name: tree, in: query, schema: {$ref: '#/components/schemas/Tree'}}],", 1)
	return text + lines
}

// withoutType gives the schema Report no type.
func withoutType(text string) string {
	return strings.Replace(text, "Report: {type: object, properties", "Report: {properties", 1)
}

// To the letter, a schema without a type takes any value.
func TestExactSchemas(t *testing.T) {
	dir := project(t, map[string]string{"openapi.yaml": withoutType(shop)})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	shipped(t, dir, args...).want(t, 0, "", "")
	if files := tree(t, filepath.Join(dir, "out")); !declares(files, "type Report struct") {
		t.Error("without the option a schema of properties is no object")
	}
	shipped(t, dir, append(args, "--exact-schemas")...).want(t, 0, "", "")
	files := tree(t, filepath.Join(dir, "out"))
	if !declares(files, "type Report = any") || !strings.Contains(files["schemas.go"], `{"properties": {"count": {"type": "integer"}}}`) {
		t.Errorf("the schema is not read to the letter: %s", files["schemas.go"])
	}
}

// Each thing that is left out is named with its place; the rest is there.
func TestSkipUnsupported(t *testing.T) {
	dir := project(t, map[string]string{"openapi.yaml": withDynamic(shop)})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	const place = "openapi.yaml:13:92: "
	r := shipped(t, dir, args...)
	r.want(t, 1, "", place)
	r.want(t, 1, "", "nothing was written")
	r = shipped(t, dir, append(args, "--skip-unsupported")...)
	for _, says := range []string{place + "warning: ", "$dynamicRef", "POST /admin/purge is left out"} {
		r.want(t, 0, "", says)
	}
	files := tree(t, filepath.Join(dir, "out"))
	if declares(files, ") Purge(") || !declares(files, ") GetOrder(") || !declares(files, ") ListOrders(") {
		t.Error("the wrong operations are left out")
	}
}

// Documents on the network are read on request only, as the document itself and as what
// it refers to.
func TestAllowRemote(t *testing.T) {
	var asked atomic.Int32
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/openapi.yaml" {
			_, _ = w.Write([]byte(shop)) // the tool is what is tested
			return
		}
		_, _ = w.Write([]byte("type: object\nproperties: {sku: {type: string}, fromAfar: {type: string}}\n"))
	}))
	t.Cleanup(remote.Close)
	text := strings.Replace(shop, "Line: {type: object, properties: {sku: {type: string}}}", "Line: {$ref: '"+remote.URL+"/line.yaml'}", 1)
	dir := project(t, map[string]string{"openapi.yaml": text})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	r := shipped(t, dir, args...)
	r.want(t, 1, "", "openapi.yaml:17:18: ")
	r.want(t, 1, "", "--allow-remote")
	shipped(t, dir, "generate", "--spec", remote.URL+"/openapi.yaml", "--out", "other").want(t, 2, "", "over the network")
	if asked.Load() != 0 {
		t.Error("the network was used without leave")
	}
	shipped(t, dir, append(args, "--allow-remote")...).want(t, 0, "", "")
	if files := tree(t, filepath.Join(dir, "out")); !declares(files, "FromAfar") {
		t.Error("what was referred to is not there")
	}
	shipped(t, dir, "generate", "--spec", remote.URL+"/openapi.yaml", "--out", "other", "--allow-remote").want(t, 0, "", "")
	if files := tree(t, filepath.Join(dir, "other")); !declares(files, "type Line struct") || asked.Load() != 2 {
		t.Errorf("%d requests", asked.Load())
	}
}

// The copied runtime is what the code imports, under the path given; packages that no
// generated code imports are copied when asked for, with theirs.
func TestRuntimeCopies(t *testing.T) {
	files := generated(t, "--client-only", "--runtime", "vendor", "--import-path", "example.com/elsewhere/api")
	for name, text := range files {
		if strings.Contains(text, `"`+modulePath) {
			t.Errorf("%s imports the module", name)
		}
	}
	if !strings.Contains(files["client.go"], `"example.com/elsewhere/api/holdfast/client"`) || files["holdfast/client/doc.go"] == "" {
		t.Error("the copy is not imported, or not there")
	}
	has := func(files map[string]string, folder string) bool {
		for name := range files {
			if strings.HasPrefix(name, "holdfast/"+folder+"/") {
				return true
			}
		}
		return false
	}
	if has(files, "server") {
		t.Error("the server's runtime is copied for a client")
	}
	files = generated(t, "--client-only", "--runtime", "vendor", "--runtime-add", "server")
	if !has(files, "server") || !has(files, "server/router") {
		t.Error("what was asked for is not copied whole")
	}
	if files = generated(t, "--runtime", "module"); has(files, "client") || !declares(files, `"`+modulePath+"/runtime/client\"") {
		t.Error("the module is not imported")
	}
}

// Every setting of holdfast.yaml, as its flag.
func TestSettingsOfConfigFile(t *testing.T) {
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{type: object, properties: {fromAfar: {type: string}}}")) // the tool is what is tested
	}))
	t.Cleanup(remote.Close)
	const report = "Report: {type: object, properties: {count: {type: integer}}}"
	dir := project(t, map[string]string{
		"api/plain.yaml": shop,
		"api/twice.yaml": strings.Replace(shop, "operationId: purge", "operationId: getOrder", 1),
		"api/far.yaml":   strings.Replace(shop, report, "Report: {$ref: '"+remote.URL+"/x'}", 1),
		"api/odd.yaml":   withDynamic(shop),
		"api/bare.yaml":  withoutType(shop),
		"api/over.yaml":  "overlay: 1.0.0\ninfo: {title: x, version: 1.0.0}\nactions:\n  - {target: \"$.paths[?@.post]\", remove: true}\n",
		"holdfast.yaml": `version: 1
targets:
  - {spec: api/plain.yaml, out: gen/client, only: client}
  - {spec: api/plain.yaml, out: gen/server, only: server, package: srv}
  - {spec: api/plain.yaml, out: gen/models, only: models}
  - {spec: api/plain.yaml, out: gen/part, include: ["tag:orders"], exclude: [listOrders]}
  - {spec: api/plain.yaml, out: gen/copy, only: client, runtime: vendor, importPath: example.com/x, runtimeAdd: [server]}
  - {spec: api/far.yaml, out: gen/far, allowRemote: true}
  - {spec: api/odd.yaml, out: gen/odd, skipUnsupported: true}
  - {spec: api/bare.yaml, out: gen/bare, only: models, exactSchemas: true}
  - {spec: api/plain.yaml, out: gen/over, only: client, overlays: [api/over.yaml]}
  - {spec: api/twice.yaml, out: gen/lax}
  - {spec: api/twice.yaml, out: gen/strict, strict: true}
`,
	})
	r := shipped(t, dir, "generate")
	r.want(t, 1, "", "api/twice.yaml: 1 error (for --strict alone); nothing was written\n") // the last one alone
	got := map[string]map[string]string{}
	for name, text := range tree(t, filepath.Join(dir, "gen")) {
		target, file, _ := strings.Cut(name, "/")
		if got[target] == nil {
			got[target] = map[string]string{}
		}
		got[target][file] = text
	}
	for target, want := range map[string]string{
		"client": "client", "server": "server", "models": "", "part": "client server", "copy": "client", "far": "client server",
		"odd": "client server", "lax": "client server", "bare": "", "over": "client",
	} {
		var sides []string
		for side, text := range map[string]string{"client": aClient, "server": aServer} {
			for name, data := range got[target] {
				if !strings.Contains(name, "/") && strings.Contains(data, text) { // not in the copied runtime
					sides = append(sides, side)
				}
			}
		}
		slices.Sort(sides)
		if text := strings.Join(sides, " "); text != want || !declares(got[target], "type Order struct") {
			t.Errorf("%s: %s, want %s", target, text, want)
		}
	}
	for what, ok := range map[string]bool{
		"package":         strings.Contains(got["server"]["server.go"], "\npackage srv\n"),
		"include":         declares(got["part"], ") GetOrder(") && !declares(got["part"], ") Purge("),
		"exclude":         !declares(got["part"], ") ListOrders("),
		"importPath":      declares(got["copy"], `"example.com/x/holdfast/client"`),
		"runtimeAdd":      got["copy"]["holdfast/server/doc.go"] != "",
		"allowRemote":     declares(got["far"], "FromAfar"),
		"skipUnsupported": declares(got["odd"], ") GetOrder(") && !declares(got["odd"], ") Purge("),
		"exactSchemas":    declares(got["bare"], "type Report = any"),
		"overlays":        declares(got["over"], ") GetOrder(") && !declares(got["over"], ") Purge("),
		"strict":          got["strict"] == nil,
	} {
		if !ok {
			t.Errorf("%s has no effect", what)
		}
	}
}
