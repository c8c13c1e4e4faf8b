package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func sprint(v any) string { return fmt.Sprint(v) }

// requirements writes alternatives as text: "key+sign | o(write) | -".
func requirementText(list []*ir.Requirement) string {
	var out []string
	for _, r := range list {
		var names []string
		for _, use := range r.Schemes {
			name := use.Scheme.Name
			if len(use.Scopes) > 0 {
				name += "(" + strings.Join(use.Scopes, ",") + ")"
			}
			names = append(names, name)
		}
		if len(names) == 0 {
			names = []string{"-"}
		}
		out = append(out, strings.Join(names, "+"))
	}
	return strings.Join(out, " | ")
}

func TestRequirements(t *testing.T) {
	got := lowerCase(t, "098-security-and-or-optional", Options{})
	got.silent()
	for id, want := range map[string]string{
		"pub": "", "opt": "- | key", "both": "key+sign", "either": "key | o(write)", "inherit": "key",
	} {
		if text := requirementText(got.op(id).Security); text != want {
			t.Errorf("%s: %q, want %q", id, text, want)
		}
	}
}

func TestSchemes(t *testing.T) {
	got := lowerCase(t, "097-security-schemes-all", Options{})
	got.silent()
	var all []string
	for _, s := range got.API.Schemes {
		all = append(all, strings.Join([]string{s.Name, s.Type, s.In, s.Param, s.HTTP}, "/"))
	}
	want := "[q/apiKey/query/api_key/ c/apiKey/cookie/sess/ h/apiKey/header/X-Key/ b/http///basic t/http///bearer o/oauth2///]"
	if sprint(all) != want {
		t.Errorf("schemes %v, want %s", all, want)
	}
	if f := got.API.Schemes[5].Flows; len(f) != 1 || f[0].Kind != "clientCredentials" || f[0].TokenURL != "https://id.example/token" {
		t.Errorf("flows %+v", f)
	}
}

func TestSchemeRepairs(t *testing.T) {
	tests := []struct {
		scheme   string
		severity diag.Severity
		words    string
		want     string // type, in, name, HTTP scheme
	}{
		{"{type: basic}", diag.Warning, "taken as http with scheme basic", "http///basic"},
		{"{type: APIKEY, in: Header, name: X}", diag.Warning, "taken as apiKey", "apiKey/header/X/"},
		{"{type: http, bearerFormat: JWT}", diag.Warning, "taken as bearer", "http///bearer"},
		{"{type: http, scheme: Bearer}", diag.Note, "", "http///bearer"},
		{"{type: http}", diag.Error, "http needs scheme", "http///"},
		{"{type: oauth2}", diag.Warning, "oauth2 needs flows", "oauth2///"},
		{"{type: openIdConnect}", diag.Warning, "needs openIdConnectUrl", "openIdConnect///"},
		{"{type: apiKey, in: body, name: x}", diag.Error, "not one of header, query, cookie", "apiKey/body/x/"},
		{"{type: oauth3}", diag.Error, "is not one of", "///"},
		{"{type: mutualTLS}", diag.Note, "", "mutualTLS///"},
	}
	for _, test := range tests {
		got := lowerText(t, "paths: {}\ncomponents: {securitySchemes: {s: "+test.scheme+"}}\n", Options{})
		if test.words != "" {
			got.says(test.severity, test.words)
		} else {
			got.silent()
		}
		s := got.API.Schemes[0]
		if text := strings.Join([]string{s.Type, s.In, s.Param, s.HTTP}, "/"); text != test.want {
			t.Errorf("%s: %s, want %s", test.scheme, text, test.want)
		}
	}
}

// A requirement of an unknown scheme is never dropped: that would make a protected
// operation public.
func TestUndefinedScheme(t *testing.T) {
	got := lowerText(t, `
security: [{basicAuth: []}]
paths:
  /a: {get: {operationId: a, security: [{token: null}], responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
  /d: {get: {operationId: d, security: null, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: c, security: {token: []}, responses: {'204': {description: ok}}}}
`, Options{})
	got.noErrors()
	a, b := got.op("a").Security, got.op("b").Security
	if requirementText(a) != "token" || a[0].Schemes[0].Scheme.HTTP != "bearer" {
		t.Errorf("a: %s", requirementText(a))
	}
	if requirementText(b) != "basicAuth" || b[0].Schemes[0].Scheme.HTTP != "basic" {
		t.Errorf("b: %s", requirementText(b))
	}
	if requirementText(got.op("c").Security) != "token" || len(got.API.Schemes) != 2 {
		t.Errorf("c: %s, %d schemes", requirementText(got.op("c").Security), len(got.API.Schemes))
	}
	if requirementText(got.op("d").Security) != "basicAuth" {
		t.Errorf("d: %s", requirementText(got.op("d").Security))
	}
	got.says(diag.Warning, `GET /a: security scheme "token" is not declared: taken as http with scheme bearer`)
}

func TestSchemeByURI(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths:
  /a: {get: {operationId: a, security: [{'#/components/securitySchemes/k': []}], responses: {'204': {description: ok}}}}
components: {securitySchemes: {k: {type: apiKey, in: header, name: X}}}
`, Options{})
	got.silent()
	if requirementText(got.op("a").Security) != "k" || len(got.API.Schemes) != 1 {
		t.Errorf("%s, %d schemes", requirementText(got.op("a").Security), len(got.API.Schemes))
	}
}

func TestServers(t *testing.T) {
	got := lowerCase(t, "096-servers-base-path-join", Options{})
	got.silent()
	if s := got.API.Servers; len(s) != 1 || s[0].URL != "http://h.example/p/v1/" {
		t.Errorf("servers %v", s)
	}
	if len(got.op("things").Servers) != 0 {
		t.Error("an operation without servers has those of the document")
	}
	if s := got.op("alt").Servers; len(s) != 1 || s[0].URL != "https://alt.example/things2" {
		t.Errorf("servers of alt %v", s)
	}
}

func TestServerVariables(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths: {}
servers:
  - url: https://{region}.example.com:{port}/{base}/{gone}
    name: main
    description: d
    variables:
      region: {default: eu, enum: [eu, us], description: where}
      port: {default: 443}
      base: {enum: [v1, v2]}
      unused: {default: x}
  - {description: nothing}
  - https://plain.example.com
  - url: ''
`, Options{})
	got.noErrors()
	s := got.API.Servers
	if len(s) != 4 || s[0].Name != "main" || s[1].URL != "/" || s[2].URL != "https://plain.example.com" || s[3].URL != "/" {
		t.Fatalf("servers %v", s)
	}
	want := map[string]string{"region": "eu", "port": "443", "base": "v1", "unused": "x", "gone": ""}
	if len(s[0].Variables) != len(want) {
		t.Errorf("%d variables", len(s[0].Variables))
	}
	for _, v := range s[0].Variables {
		if v.Default != want[v.Name] {
			t.Errorf("%s: default %q, want %q", v.Name, v.Default, want[v.Name])
		}
	}
	got.says(diag.Warning, "server variable port", "taken as text")
	got.says(diag.Warning, "server variable base", `taken as "v1"`)
	got.says(diag.Warning, `variable "gone" is not declared`)
	got.says(diag.Warning, "url is missing")
	lowerText(t, "paths: {}\nservers: [{url: 'https://{a'}]\n", Options{}).says(diag.Error, "a { is never closed")
}

// A password in an address would be committed with the generated code.
func TestPasswordInServerURL(t *testing.T) {
	const words = "a password, which the generated code will hold"
	for url, warned := range map[string]bool{
		"https://user:hunter2@example.com/v1":    true,
		"//user:hunter2@example.com":             true,
		"https://user:p@hunter2@example.com":     true,
		"https://user@example.com":               false,
		"https://user:@example.com":              false,
		"https://example.com:8080/a:b@c":         false,
		"/a:b@c":                                 false,
		"https://example.com/?mail=a:b@c.test":   false,
		"https://{user}:{secret}@example.com":    true,
		"https://{user}:{no-value}@example.com/": false,
	} {
		got := lowerText(t, "paths: {}\nservers:\n  - url: '"+url+"'\n    variables: {user: {default: me}, secret: {default: hunter2}}\n", Options{})
		found := false
		for _, d := range got.list {
			found = found || strings.Contains(d.Message, words) && d.Severity == diag.Warning && d.Pos.Line == 5 && d.Pos.Col == 10
			if strings.Contains(d.Message+d.Hint, "hunter2") && d.Code == "server-url" {
				t.Errorf("%s: repeated: %s", url, d.Message)
			}
		}
		if found != warned {
			t.Errorf("%s: warned %v, want %v", url, found, warned)
		}
	}
}
