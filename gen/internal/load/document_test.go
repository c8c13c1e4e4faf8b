package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		text string
		want Version
		said string
	}{
		{"openapi: 3.0.3", V30, ""},
		{"openapi: '3.1.0'", V31, ""},
		{"openapi: 3.2.0", V32, ""},
		{"openapi: 3.0.0-rc2", V30, ""},
		{"openapi: '3.1'", V31, `:1:10: warning: openapi "3.1" is no full version such as "3.1.0"; read as 3.1`},
		{"openapi: 3.0", V30, `:1:10: openapi must be a string like "3.0.3", got number 3.0`},
		{"openapi: 3.10", 0, `:1:10: openapi must be a string like "3.0.3", got number 3.10`},
		{"openapi: 3.3.0", 0, `:1:10: openapi "3.3.0" is not supported (3.0.x, 3.1.x, 3.2.x)`},
		{"openapi: 4.0.0", 0, `:1:10: openapi "4.0.0" is not supported (3.0.x, 3.1.x, 3.2.x)`},
		{"openapi: [3]", 0, `:1:10: openapi must be a string like "3.0.3", got list`},
		{"openapi:", 0, `:1:9: openapi must be a string like "3.0.3", got null`},
		{"swagger: '2.0'", 0, `:1:10: Swagger 2.0 is not supported, only OpenAPI (3.0.x, 3.1.x, 3.2.x)` + "\n    hint: convert the document to OpenAPI 3 first, for example with swagger2openapi"},
		{"OpenAPI: 3.0.0", 0, `:1:1: the field "openapi" is missing: this is no OpenAPI document` + "\n    hint: did you mean \"OpenAPI\""},
		{"a: 1", 0, `:1:1: the field "openapi" is missing`},
		{"text", 0, `:1:1: the document root must be a mapping, got a string`},
	} {
		path := filepath.Join(write(t, "a.yaml", c.text+"\n"), "a.yaml")
		var l diag.List
		d := Load(context.Background(), Options{Path: path}, &l)
		if (d == nil) != (c.want == 0) || d != nil && d.Version != c.want {
			t.Errorf("%s: document %v", c.text, d)
		}
		if got := strings.TrimPrefix(show(&l), path); !strings.HasPrefix(got, c.said) || c.said == "" && got != "" {
			t.Errorf("%s: got %swant %s", c.text, got, c.said)
		}
		if d == nil && !l.HasErrors() {
			t.Errorf("%s: nil without an error", c.text)
		}
	}
}

func TestUnreadableRoots(t *testing.T) {
	dir := write(t, "big.yaml", "openapi: 3.0.3\n#"+strings.Repeat("x", 3000), "broken.json", "{")
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"absent.yaml": ": cannot read the document: no such file",
		"":            ": cannot read the document: a folder, not a file",
		"pipe":        ": cannot read the document: not a regular file",
		"big.yaml":    ": cannot read the document: larger than 2 KiB",
		"broken.json": ":1:1: the \"{\" is never closed",
	} {
		path := filepath.Join(dir, name)
		var l diag.List
		if d := Load(context.Background(), Options{Path: path, MaxFileBytes: 2048}, &l); d != nil {
			t.Errorf("%s: loaded", name)
		}
		if got := show(&l); !strings.HasPrefix(got, path+want) {
			t.Errorf("%s: got %swant %s", name, got, want)
		}
	}
}

func TestFileBound(t *testing.T) {
	dir := write(t, "a.yaml", "openapi: 3.0.3\nx: b.yaml\ny: c.yaml\n", "b.yaml", "1", "c.yaml", "2")
	var l diag.List
	d := Load(context.Background(), Options{Path: filepath.Join(dir, "a.yaml"), MaxFiles: 2}, &l)
	if resolve := d.Resolve(d.Root.Root.Get("x"), "b.yaml", &l); resolve == nil {
		t.Error(show(&l))
	}
	if resolve := d.Resolve(d.Root.Root.Get("y"), "c.yaml", &l); resolve != nil || !strings.Contains(show(&l), "the document has more than 2 files") {
		t.Error(show(&l))
	}
}

// The anchors document: what the tree must keep of it.
func TestAnchorsDocument(t *testing.T) {
	d, l := loadText(t, `openapi: 3.0.3
info: {title: anchors, version: 1.10}
x-common: &err
  description: base error
  content: {application/json: {schema: {type: object}}}
paths:
  /a: {get: {responses: {200: {description: ok}, 400: *err}}}
  /b: {get: {responses: {'400': {<<: *err, description: merged error}}}}
x: {enum: [no, on, 0123, 1e3]}
`)
	if l.Len() > 0 {
		t.Fatal(show(l))
	}
	root := d.Root.Root
	if v, _ := root.At("/info/version").Written(); v != "1.10" {
		t.Errorf("version is %q", v)
	}
	if !root.At("/paths/~1a/get/responses/200").Is(Object) {
		t.Error("the key 200 is not found")
	}
	if root.At("/paths/~1a/get/responses/400/content") != root.At("/paths/~1b/get/responses/400/content") {
		t.Error("the error is not shared")
	}
	if s, _ := root.At("/paths/~1b/get/responses/400/description").Str(); s != "merged error" {
		t.Errorf("description is %q", s)
	}
	var enum []string
	for _, n := range root.At("/x/enum").Items {
		s, _ := n.Written()
		enum = append(enum, s)
	}
	if got := strings.Join(enum, " "); got != "no on 0123 1e3" {
		t.Errorf("enum is %s", got)
	}
}

// A large document costs less than 20 bytes of memory a byte.
func TestMemoryOfLargeDocuments(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"openapi": "3.0.3", "paths": {`)
	for i := range 20_000 {
		fmt.Fprintf(&b, "%s\n  \"/p%d\": {\"get\": {\"operationId\": \"op%d\", \"parameters\": [{\"name\": \"x\", \"in\": \"query\", \"schema\": {\"type\": \"integer\", \"minimum\": 0}}], \"description\": \"Some text that tells what the operation does.\"}}", map[bool]string{true: ",", false: ""}[i > 0], i, i)
	}
	b.WriteString("}}")
	path := filepath.Join(t.TempDir(), "large.json")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var l diag.List
	if d := Load(context.Background(), Options{Path: path}, &l); d == nil || d.Root.Root.Get("paths").Len() != 20_000 {
		t.Fatal(show(&l))
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20*uint64(b.Len()) {
		t.Errorf("%d bytes allocated for a document of %d", used, b.Len())
	}
}
