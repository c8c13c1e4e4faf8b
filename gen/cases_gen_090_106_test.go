package gen_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// Case 090: used by itself, the schema of the other file has a type of its own beside
// the one of the same name, whichever of the two comes first.
func TestCase090TwoOfOneName(t *testing.T) {
	text := caseText(t, "090")
	const use = "            stamp: {$ref: './ext/stamp.yaml'}"
	price := "            price: {$ref: './ext/common.yaml#/components/schemas/Money'}"
	for _, changed := range []string{
		strings.Replace(text, use, use+"\n"+price, 1),
		strings.Replace(text, "            label:", price+"\n            label:", 1),
	} {
		if changed == text {
			t.Fatal("the case has changed")
		}
		dir := t.TempDir()
		spec, out := filepath.Join(dir, "openapi.yaml"), filepath.Join(dir, "out")
		if err := os.WriteFile(spec, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, "ext"), os.DirFS("../testdata/cases/ext")); err != nil {
			t.Fatal(err)
		}
		result, err := gen.Run(t.Context(), gen.Config{Spec: spec, Out: out, Package: "api", Client: true, Server: true, Strict: true})
		if err != nil {
			t.Fatal(err, result.Diagnostics)
		}
		var all strings.Builder
		for _, text := range read(t, out) {
			all.WriteString(text)
		}
		words := strings.Join(strings.Fields(all.String()), " ")
		for _, want := range []string{"type Money = string", "type CommonMoney struct { Cents int64", "Price *CommonMoney", "Label value.Opt[Money]"} {
			if !strings.Contains(words, want) {
				t.Errorf("no %q", want)
			}
		}
	}
}

// Case 106: the texts of tags, values, parameters, bodies, links and schemes are no more
// than comments, as those that the case has.
func TestCase106EveryText(t *testing.T) {
	const evil = `"x\r\n//go:embed secret.txt\n\u2028//line /tmp/x.go:1\n*/ func init() { panic(1) }"`
	out, result, err := ran(t, `
openapi: 3.1.0
info: {title: `+evil+`, version: `+evil+`, description: `+evil+`, contact: {name: `+evil+`}, license: {name: `+evil+`}}
servers: [{url: 'https://h.example', description: `+evil+`}]
tags: [{name: `+evil+`, description: `+evil+`, externalDocs: {url: 'https://d.example', description: `+evil+`}}]
paths:
  /c:
    description: `+evil+`
    post:
      tags: [`+evil+`]
      operationId: c
      parameters: [{name: q, in: query, description: `+evil+`, schema: {$ref: '#/components/schemas/E'}}]
      requestBody: {description: `+evil+`, content: {application/json: {schema: {$ref: '#/components/schemas/E'}}}}
      responses:
        '204': {description: `+evil+`, headers: {X: {description: `+evil+`, schema: {type: string}}}, links: {l: {operationId: c, description: `+evil+`}}}
webhooks: {w: {post: {summary: `+evil+`, responses: {'200': {description: `+evil+`}}}}}
components:
  securitySchemes: {k: {type: apiKey, in: header, name: X-K, description: `+evil+`}}
  schemas:
    E: {title: `+evil+`, type: string, enum: [a, b], x-enum-descriptions: [`+evil+`, `+evil+`]}
`, nil)
	if err != nil {
		t.Fatal(err, result.Diagnostics)
	}
	for name, text := range read(t, out) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			code, _, _ := strings.Cut(line, "//")
			for _, word := range []string{"secret.txt", "x.go:1", "panic(1)"} {
				if strings.Contains(line, word) && strings.Contains(code, word) && !strings.Contains(code, `"`) {
					t.Errorf("%s: code of the document: %s", name, line)
				}
			}
			for _, start := range []string{"//go:", "//line", "func init"} {
				if strings.HasPrefix(line, start) {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
		if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
			t.Errorf("%s is not formatted (%v)", name, err)
		}
		if strings.ContainsAny(text, "\r\u2028") {
			t.Errorf("%s has line ends that are none of Go", name)
		}
	}
}
