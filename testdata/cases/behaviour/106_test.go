package api_test

import (
	"context"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c106"
	"cases/kit"
)

// directive is a comment that means something to a tool, at the start of a line.
var directive = regexp.MustCompile(`(?m)^\s*(//go:|//line |/\*line |//export |// \+build|//nolint|func init)`)

func TestTextsStayInComments(t *testing.T) {
	files, err := filepath.Glob("*.go")
	kit.OK(t, err)
	var all strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		kit.OK(t, err)
		pretty, err := format.Source(data)
		kit.OK(t, err)
		kit.Same(t, file+" is formatted", string(pretty) == string(data), true)
		if found := directive.Find(data); found != nil {
			t.Errorf("%s: %q", file, found)
		}
		for _, line := range strings.Split(string(data), "\n") {
			for _, text := range []string{"panic(1)", "package evil", "rm -rf", "secret.txt", "x.go:1", "Deprecated: not really"} {
				if strings.Contains(line, text) && !strings.HasPrefix(strings.TrimSpace(line), "// ") {
					t.Errorf("%s: %q is not in a comment: %s", file, text, line)
				}
			}
		}
		if strings.ContainsAny(string(data), "\r\u2028\u2029") {
			t.Errorf("%s has line ends that are none of Go", file)
		}
		all.Write(data)
	}
	// A comment that marks as deprecated does so for linters and documentation.
	if strings.Contains(all.String(), "\n// Deprecated: not really") {
		t.Error("the text of the document marks something as deprecated")
	}
	for _, text := range []string{"go:embed secret.txt", "`backtick`", "func init() { panic(1) }", "line three */ package evil"} {
		if !strings.Contains(all.String(), text) {
			t.Errorf("%q is said nowhere", text)
		}
	}
}

type service struct{ c *api.C }

func (s service) C(context.Context) (*api.C, error) { return s.c, nil }

func TestValues(t *testing.T) {
	kit.Same(t, "values", kit.Parse(t).Values("CB"), []string{"x\ny", "z\"`"})
	const text = "quote \" and ` and \n"
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"b":"x\ny"}`)).URL, client.Strict()).C(t.Context())
	kit.OK(t, err)
	kit.Same(t, "result with the default", got, &api.C{A: value.Some(text), B: value.Some(api.CB("x\ny"))})
	url := kit.Serve(t, api.NewHandler(service{&api.C{A: value.Some(text), B: value.Some(api.CB("z\"`"))}}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/c", "").Body, "{\"a\":\"quote \\\" and ` and \\n\",\"b\":\"z\\\"`\"}")
	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"b":"x"}`)).URL, client.Strict()).C(t.Context())
	kit.Fails(t, err, "/b")
}
