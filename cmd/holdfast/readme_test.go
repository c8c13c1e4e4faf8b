package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// block is a piece of code in README.md.
type block struct{ language, text string }

// readme are the blocks of README.md, in their order.
func readme(t *testing.T) []block {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	open := false
	for line := range strings.Lines(string(data)) {
		language, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fence && open:
			open = false
		case fence:
			blocks = append(blocks, block{language: language})
			open = true
		case open:
			blocks[len(blocks)-1].text += line
		}
	}
	if open || len(blocks) == 0 {
		t.Fatal("README.md has a block without an end, or none at all")
	}
	return blocks
}

// with is the one block of a language that has all the words.
func with(t *testing.T, blocks []block, language string, words ...string) string {
	t.Helper()
	var found []string
next:
	for _, b := range blocks {
		for _, word := range words {
			if b.language != language || !strings.Contains(b.text, word) {
				continue next
			}
		}
		found = append(found, b.text)
	}
	if len(found) != 1 {
		t.Fatalf("README.md has %d blocks of %q with %q", len(found), language, words)
	}
	return found[0]
}

// start is the module of the five minutes that README.md describes.
type start struct{ dir string }

// sh runs a script as a newcomer does, but without a network.
func (s start) sh(t *testing.T, dir, script string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	return finished(t, cmd)
}

func (s start) must(t *testing.T, dir, script string) string {
	t.Helper()
	r := s.sh(t, dir, script)
	if r.code != 0 {
		t.Fatalf("%s\nstatus %d\n%s%s", script, r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// newStart makes the module as README.md says. The checkout takes the place of the clone,
// and what it requires that of go mod tidy, which looks for the tests of everybody's modules.
func newStart(t *testing.T, blocks []block) start {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	clone := filepath.Join(base, "holdfast")
	if err := os.Mkdir(clone, 0o750); err != nil {
		t.Fatal(err)
	}
	s := start{dir: filepath.Join(base, "shop")}
	script, tidy := strings.CutSuffix(with(t, blocks, "sh", "go mod edit"), "go mod tidy\n")
	if !tidy {
		t.Error("the module is not tidied at the end")
	}
	s.must(t, clone, script)
	if got := tree(t, s.dir)["go.mod"]; !strings.Contains(got, modulePath+" => "+clone) || !strings.Contains(got, "tool "+modulePath+"/cmd/holdfast") {
		t.Errorf("go.mod is\n%s", got)
	}
	edit := []string{"go mod edit -replace=" + modulePath + "='" + root + "'"}
	for _, r := range requirements(t, root) {
		edit = append(edit, "-require="+r.Path+"@"+r.Version)
	}
	s.must(t, s.dir, strings.Join(edit, " "))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, s.dir, "go.sum", string(sums))
	return s
}

// TestReadmeStart is the five minutes of README.md, command for command: what it prints is
// what the page says.
func TestReadmeStart(t *testing.T) {
	blocks := readme(t)
	s := newStart(t, blocks)
	spec := with(t, blocks, "yaml", "openapi: 3.1.0")
	put(t, s.dir, "openapi.yaml", spec)
	generate := with(t, blocks, "sh", "go tool holdfast generate", "--package shop\n")
	s.must(t, s.dir, generate)
	program := with(t, blocks, "go", "package main")
	put(t, s.dir, "main.go", program)
	want := with(t, blocks, "", "order 1: lamp")
	if got := s.must(t, s.dir, with(t, blocks, "sh", "go run .\n")); got != want {
		t.Errorf("it prints\n%s\nREADME.md says\n%s", got, want)
	}
	s.must(t, s.dir, "go vet ./...")

	// As a part of the build.
	s.must(t, s.dir, "go tool holdfast init --out internal/shop")
	put(t, s.dir, "gen.go", "package main\n\n"+with(t, blocks, "go", "//go:generate"))
	s.must(t, s.dir, "rm -r internal && go generate ./...")
	check := with(t, blocks, "sh", "generate --check")
	s.must(t, s.dir, check)
	put(t, s.dir, "openapi.yaml", strings.Replace(spec, "item: {type: string}\n", "item: {type: string, maxLength: 9}\n", 1))
	if r := s.sh(t, s.dir, check); r.code != 1 || !strings.Contains(r.stdout, "+++ ") {
		t.Errorf("a check of code that is out of date: status %d\n%s%s", r.code, r.stdout, r.stderr)
	}

	// An error, as the page shows one.
	put(t, s.dir, "openapi.yaml", strings.Replace(spec, "maxAttempts", "maxAtempts", 1))
	text := with(t, blocks, "", "maxAtempts")
	if r := s.sh(t, s.dir, generate); r.code != 1 || !strings.HasPrefix(r.stderr, text) {
		t.Errorf("status %d\n%s\nREADME.md says\n%s", r.code, r.stderr, text)
	}

	// Without holdfast in the module.
	put(t, s.dir, "openapi.yaml", spec)
	s.must(t, s.dir, with(t, blocks, "sh", "--runtime vendor"))
	put(t, s.dir, "main.go", strings.ReplaceAll(program, modulePath+"/runtime/", "example.com/shop/internal/shop/holdfast/"))
	s.must(t, s.dir, "rm go.sum && go mod edit -dropreplace="+modulePath+" -droprequire="+modulePath+" -droptool="+modulePath+"/cmd/holdfast")
	if got := s.must(t, s.dir, "go build ./... && go run ."); got != want {
		t.Errorf("with a copy of the runtime it prints\n%s\nREADME.md says\n%s", got, want)
	}
}

// TestReadmePackage holds the table of files to what is generated.
func TestReadmePackage(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := project(t, map[string]string{"openapi.yaml": with(t, readme(t), "yaml", "openapi: 3.1.0")})
	shipped(t, dir, "generate", "--spec", "openapi.yaml", "--out", "shop").want(t, 0, "", "")
	for name := range tree(t, filepath.Join(dir, "shop")) {
		if name != "doc.go" && name != "shared.go" && !strings.Contains(string(data), "`"+name+"`") {
			t.Errorf("README.md does not speak of %s", name)
		}
	}
}

// TestReadmeSnippet compiles the calls that the page begins with, against the package of
// our own that they are from, and generates from the document beside them.
func TestReadmeSnippet(t *testing.T) {
	blocks := readme(t)
	s := newStart(t, blocks)
	put(t, s.dir, "snippet.go", `package snippet

import (
	"context"
	"errors"
	"time"

	"`+modulePath+`/golden/payments"
	"`+modulePath+`/runtime/client"
	"`+modulePath+`/runtime/fault"
)

func snippet(ctx context.Context, url, token, orderID string, order payments.PaymentRequest) (*payments.CreatePaymentResponse, error) {
`+with(t, blocks, "go", "payments.New(")+`
	return p, err
}
`)
	s.must(t, s.dir, "go build ./...")

	fragment := "openapi: 3.1.0\ninfo: {title: Payments, version: '1'}\n" + with(t, blocks, "yaml", "dependency: payments") +
		"      responses: {'204': {description: taken}}\n"
	put(t, s.dir, "fragment.yaml", fragment)
	shipped(t, s.dir, "generate", "--spec", "fragment.yaml", "--out", "fragment").want(t, 0, "", "")
}
