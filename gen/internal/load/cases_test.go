package load

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

var caseHeader = regexp.MustCompile(`^# error at (\S+:\d+)\n`)

// The documents of testdata/invalid say in their header where the error is; what
// its text must name stands here.
func TestInvalidDocuments(t *testing.T) {
	names := map[string][]string{
		"003-ref-bad-pointer":           {`"#components/schemas/A"`, `a fragment must start with "#/"`},
		"004-ref-external-missing-file": {"./ext/absent.yaml", "invalid/ext/absent.yaml", "no such file"},
		"006-ref-remote-blocked":        {"https://schemas.invalid/x.yaml", "off by default", "--allow-remote"},
		"040-version-unsupported":       {`openapi "4.0.0" is not supported (3.0.x, 3.1.x, 3.2.x)`},
		"042-version-unquoted-float":    {`openapi must be a string like "3.0.3", got number 3.0`},
		"048-yaml-duplicate-key":        {`key "get"`, "defined twice under /a", "line 7", "line 8"},
		"050-yaml-unclosed-flow":        {`the "{" is never closed`, "line 7"},
		"051-yaml-undefined-alias":      {"alias *nope"},
		"052-yaml-root-is-list":         {"the document root must be a mapping, got a list"},
	}
	for name, wants := range names {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "invalid", name+".yaml")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			header := caseHeader.FindSubmatch(data)
			if header == nil {
				t.Fatal("the header names no line")
			}
			var l diag.List
			client := &fakeWeb{t: t} // answers nothing: no network call may happen
			if d := Load(context.Background(), Options{Path: path, Client: client.client()}, &l); d != nil {
				resolveAll(d, &l)
			}
			got := l.Sorted()
			if len(got) != 1 || got[0].Severity != diag.Error {
				t.Fatalf("want one error, got:\n%s", show(&l))
			}
			text := show(&l)
			if want := filepath.Join("testdata", "invalid", string(header[1])) + ":"; !strings.HasPrefix(text, want) {
				t.Errorf("got %s, want it at %s", text, want)
			}
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("got %s, want %q in it", text, want)
				}
			}
		})
	}
}

// Published documents load without an error and every reference in them resolves.
// They are other people's and not part of the project.
func TestPublishedDocuments(t *testing.T) {
	specs, err := filepath.Abs("../../../../shared/corpus/specs")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(specs)
	if err != nil {
		t.Logf("NOT RUN: the published documents are not at %s", specs)
		return
	}
	for _, e := range entries {
		path := filepath.Join(specs, e.Name())
		if e.IsDir() {
			entry, err := os.ReadFile(filepath.Join(path, "ENTRY"))
			if err != nil {
				t.Fatal(err)
			}
			path = filepath.Join(path, strings.TrimSpace(string(entry)))
		}
		var l diag.List
		d := Load(context.Background(), Options{Path: path}, &l)
		if d == nil {
			t.Errorf("%s: %s", e.Name(), show(&l))
			continue
		}
		resolveAll(d, &l)
		if l.Len() > 0 {
			t.Errorf("%s: %s", e.Name(), show(&l))
		}
	}
}
