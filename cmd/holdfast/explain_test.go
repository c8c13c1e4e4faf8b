package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// explainDocument is the document of testdata/explain in a folder of its own.
func explainDocument(t *testing.T) string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"shop.yaml", "parts.yaml", "shop.overlay.yaml"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "explain", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	return project(t, files)
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestExplain(t *testing.T) {
	dir := explainDocument(t)
	r := shipped(t, dir, "explain", "shop.yaml", "--overlay", "shop.overlay.yaml")
	r.want(t, 0, read(t, "..", "..", "testdata", "explain", "report.txt"), "")
	if strings.Contains(r.stdout, "\x1b") {
		t.Error("colour in a pipe")
	}
	r = shipped(t, dir, "explain", "shop.yaml", "--operation", "createOrder", "--operation", "search", "--profile", "prod")
	r.want(t, 0, "2 operations, 2 policies; dependency shop; profile prod\n", "")
	r.want(t, 0, "over after 4s at most", "")

	shipped(t, dir, "explain").want(t, 2, "", "no document is given\nFor example: holdfast explain openapi.yaml")
	shipped(t, dir, "explain", "--spec", "shop.yaml").want(t, 2, "", "unknown option --spec\nThe document is an argument here: holdfast explain FILE")
	shipped(t, dir, "explain", "shop.yaml", "more").want(t, 2, "", `unexpected argument "more"`)
	shipped(t, dir, "explain", "none.yaml").want(t, 1, "", "none.yaml: 1 error; nothing to explain")
	shipped(t, dir, "explain", "shop.yaml", "--profile", "prd").want(t, 2, "", "there is no profile prd: did you mean prod?")
	shipped(t, dir, "explain", "shop.yaml", "--operation", "createOrdr").want(t, 2, "", "did you mean createOrder?")
	shipped(t, dir, "explain", "shop.yaml", "--json", "--html").want(t, 2, "", "--json and --html exclude each other")
	shipped(t, dir, "explain", "shop.yaml", "--exit-code").want(t, 2, "", "--exit-code belongs to --diff")
	shipped(t, dir, "explain", "shop.yaml", "--html", "--diff", "x").want(t, 2, "", "--html has no form for it")
	shipped(t, dir, "explain", "shop.yaml", "--diff", "").want(t, 2, "", "neither a file nor a revision is named")
	shipped(t, dir, "explain", "https://example.com/a.yaml").want(t, 2, "", "would be read over the network")

	// What generation refuses as not built yet is explained all the same, and so is
	// what it repairs, short of --strict.
	put(t, dir, "loose.yaml", "openapi: '3.1'\ninfo: {title: L, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: ok}}}}}\n")
	r = shipped(t, dir, "explain", "loose.yaml")
	r.want(t, 0, "GET /a\n", "1 warning about the document, which 'holdfast generate' shows")
	shipped(t, dir, "explain", "loose.yaml", "--strict").want(t, 1, "", "nothing to explain")
}

func TestExplainJSON(t *testing.T) {
	dir := explainDocument(t)
	var report struct {
		Version    int `json:"version"`
		Operations []struct {
			ID string `json:"id"`
		} `json:"operations"`
		Policies []struct {
			WorstCase struct {
				LimitMs float64 `json:"limitMs"`
			} `json:"worstCase"`
		} `json:"policies"`
	}
	r := shipped(t, dir, "explain", "--json", "shop.yaml", "--operation", "listOrders")
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.code != 0 {
		t.Fatal(err, r)
	}
	if report.Version != 1 || len(report.Operations) != 1 || report.Operations[0].ID != "listOrders" || report.Policies[0].WorstCase.LimitMs != 9000 {
		t.Errorf("%+v", report)
	}
	put(t, dir, "bad.yaml", "openapi: 3.1.0\ninfo: {title: A, version: '1'}\nx-resilience: {version: 1, defaults: {rety: x}}\npaths: {}\n")
	var faults struct {
		Errors      int `json:"errors"`
		Diagnostics []struct {
			File string `json:"file"`
		} `json:"diagnostics"`
	}
	r = shipped(t, dir, "explain", "--json", "bad.yaml")
	if err := json.Unmarshal([]byte(r.stdout), &faults); err != nil || r.code != 1 || faults.Errors != 1 || faults.Diagnostics[0].File != "bad.yaml" {
		t.Errorf("%v, %+v, %+v", err, r, faults)
	}
}

// The file of --html stands behind an equals sign or apart, on either side of the
// document, and what is no page is never replaced.
func TestExplainHTML(t *testing.T) {
	dir := explainDocument(t)
	page := shipped(t, dir, "explain", "shop.yaml", "--html").stdout
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n") || !strings.HasSuffix(page, "</html>\n") {
		t.Fatalf("%.60s", page)
	}
	for i, args := range [][]string{
		{"shop.yaml", "--html=out.html"}, {"shop.yaml", "--html", "out.html"}, {"--html", "out.html", "shop.yaml"}, {"--html", "shop.yaml", "out.html"},
	} {
		r := shipped(t, dir, append([]string{"explain"}, args...)...)
		if r != (result{}) || read(t, dir, "out.html") != page {
			t.Errorf("%v: %+v", args, r)
		}
		if i%2 == 1 {
			put(t, dir, "out.html", page[:len(page)/2]) // an older page
		}
	}
	before := read(t, dir, "shop.yaml")
	shipped(t, dir, "explain", "shop.yaml", "--html=shop.yaml").want(t, 2, "", "shop.yaml is there and no HTML page: it is left as it is")
	shipped(t, dir, "explain", "shop.yaml", "--html=.").want(t, 2, "", ". is no file")
	if read(t, dir, "shop.yaml") != before {
		t.Error("the document is gone")
	}
}

func TestExplainDiff(t *testing.T) {
	dir := explainDocument(t)
	put(t, dir, "new.yaml", strings.ReplaceAll(read(t, dir, "shop.yaml"), "attempt: 2s, total: 9s", "attempt: 10s, total: 34s"))
	r := shipped(t, dir, "explain", "new.yaml", "--diff", "shop.yaml", "--operation", "listOrders")
	r.want(t, 0, `shop.yaml -> new.yaml
1 operation of 1 behaves otherwise.

GET /orders (listOrders)
  timeout.attempt                     2s -> 10s (defaults new.yaml:8)
  timeout.total                       9s -> 34s (defaults new.yaml:8)
  => worst-case total                 9s -> 34s
  => end when it hangs                4.5s -> 20.5s
`, "")
	shipped(t, dir, "explain", "new.yaml", "--diff", "shop.yaml", "--exit-code").want(t, 1, "=> worst-case total", "")
	shipped(t, dir, "explain", "shop.yaml", "--diff", "shop.yaml", "--exit-code").want(t, 0, "No operation behaves otherwise: 5 operations compared.", "")
	r = shipped(t, dir, "explain", "new.yaml", "--diff", "shop.yaml", "--json")
	if !json.Valid([]byte(r.stdout)) || !strings.Contains(r.stdout, `"newValue": 34000`) {
		t.Errorf("%+v", r)
	}
	put(t, dir, "bad.yaml", "openapi: 3.1.0\n")
	r = shipped(t, dir, "explain", "new.yaml", "--diff", "bad.yaml")
	r.want(t, 1, "", "In the version to compare with, bad.yaml:\n")

	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "x"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	put(t, dir, "shop.yaml", read(t, dir, "new.yaml"))
	r = shipped(t, dir, "explain", "shop.yaml", "--diff", "HEAD", "--exit-code")
	r.want(t, 1, "HEAD:shop.yaml -> shop.yaml\n5 operations of 5 behave otherwise.\n", "")
	shipped(t, dir, "explain", "shop.yaml", "--diff", "nothing").want(t, 2, "", "nothing is neither a file nor a revision that git knows")
}

// What of a document is not supported is left out with a warning; a document behind
// a reference to the network is not asked for.
func TestExplainPartly(t *testing.T) {
	dir := t.TempDir()
	const document = `openapi: 3.1.0
info: {title: P, version: '1'}
paths:
  /a: {get: {responses: {'200': {description: ok}}}}
  /b: {post: {requestBody: {content: {application/json: {schema: {$ref: 'https://127.0.0.1:1/x.yaml#/A'}}}}, responses: {'200': {description: ok}}}}
`
	put(t, dir, "p.yaml", document)
	shipped(t, dir, "explain", "p.yaml").want(t, 1, "", "remote references are off by default")
	shipped(t, dir, "explain", "p.yaml", "--allow-remote").want(t, 1, "", "fetching failed")

	dir = project(t, map[string]string{"openapi.yaml": withDynamic(shop)})
	shipped(t, dir, "explain", "openapi.yaml").want(t, 1, "", "nothing to explain")
	r := shipped(t, dir, "explain", "openapi.yaml", "--skip-unsupported")
	r.want(t, 0, "2 operations, ", "about the document, which 'holdfast generate' shows")
}

func TestExplainCompletes(t *testing.T) {
	commands := (&app{}).commands()
	for words, want := range map[string]string{
		"explain,sh":        ":files",
		"explain,--diff,":   ":files",
		"explain,--over":    "--overlay\tapply this overlay FILE to the document; repeatable",
		"explain,--html=o":  ":files",
		"explain,--profil":  "--profile\tshow what holds under the profile NAME",
		"explain,a.yaml,--": "--overlay\tapply this overlay FILE to the document; repeatable",
	} {
		if got := candidates(commands, strings.Split(words, ",")); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
	if lines := candidates(commands, []string{"exp"}); !slices.Contains(lines, "explain\tshow what policy holds for each operation, and why") {
		t.Errorf("%q", lines)
	}
}
