package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twoTargets = `version: 1
targets:
  - spec: specs/a.yaml
    out: internal/a
    only: client
    include: tag:x
    strict: true
  - spec: specs/b.yaml
    out: ./internal/b/
    package: bee
`

func TestConfigFileFoundUpwards(t *testing.T) {
	files := map[string]string{
		"holdfast.yaml": twoTargets,
		"specs/a.yaml":  "settings s.go\n",
		"specs/b.yaml":  "settings s.go\nwarning 1 1 odd\n",
		"deep/er/x.go":  "package er\n\n//go:generate holdfast generate\n",
	}
	for _, from := range []string{".", "deep/er"} {
		dir := project(t, files)
		rel, err := filepath.Rel(filepath.Join(dir, from), filepath.Join(dir, "specs", "b.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		holdfast(t, filepath.Join(dir, from), "generate").want(t, 0, "", rel+":1:1: warning: odd\n")
		got := tree(t, filepath.Join(dir, "internal"))
		for name, want := range map[string]string{
			"a/s.go": "package a\n\n// client=true server=false runtime=module strict=true skip=false include=[\"tag:x\"]",
			"b/s.go": "package bee\n\n// client=true server=true runtime=module strict=false",
		} {
			if !strings.Contains(got[name], want) {
				t.Errorf("from %s: %s: want %q in\n%s", from, name, want, got[name])
			}
		}
		holdfast(t, filepath.Join(dir, from), "generate", "--check").want(t, 0, "", "warning: odd\n")
	}
}

func TestOptionsOverConfigFile(t *testing.T) {
	dir := project(t, map[string]string{
		"other.yaml":   twoTargets,
		"specs/a.yaml": "settings s.go\n",
		"specs/b.yaml": "settings s.go\n",
	})
	holdfast(t, dir, "generate", "--config", "other.yaml", "--dry-run").want(t, 0, "create internal/a/s.go\ncreate internal/b/s.go\n", "")
	holdfast(t, dir, "generate", "--config", "other.yaml", "--strict=false", "--skip-unsupported", "--allow-remote").want(t, 0, "", "")
	for name, text := range tree(t, filepath.Join(dir, "internal")) {
		if !strings.Contains(text, "strict=false skip=true") || !strings.Contains(text, "remote=true") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// One target at fault does not hide the faults of the others, nor stop them.
func TestOneTargetFails(t *testing.T) {
	dir := project(t, map[string]string{
		"holdfast.yaml": twoTargets,
		"specs/a.yaml":  "error 1 1 broken\n",
		"specs/b.yaml":  "settings s.go\n",
	})
	holdfast(t, dir, "generate").want(t, 1, "", "specs/a.yaml:1:1: broken\n    hint: mend it\nspecs/a.yaml: 1 error; nothing was written\n")
	if got := tree(t, filepath.Join(dir, "internal")); len(got) != 1 || got["b/s.go"] == "" {
		t.Errorf("got %v", got)
	}
}

func TestConfigFileErrors(t *testing.T) {
	dir := project(t, map[string]string{
		"holdfast.yaml": `version: 2
targts: []
targets:
  - spec: a.yaml
    out: a
    pakage: x
    strict: yes please
  - out: [b]
    only: both
  - spec: c.yaml
    out: ./a
    package: func
    include: [1, x]
  - c.yaml
`,
	})
	before := tree(t, dir)
	r := holdfast(t, dir, "generate")
	want := `holdfast.yaml:1:10: version 2 is not known
    hint: this holdfast reads version 1
holdfast.yaml:2:1: unknown setting "targts"
    hint: did you mean targets?
holdfast.yaml:6:5: unknown setting "pakage"
    hint: did you mean package?
holdfast.yaml:7:13: strict must be true or false, found string
holdfast.yaml:8:5: the target has no spec
holdfast.yaml:8:10: out must be a string that is not empty, found list
holdfast.yaml:9:11: only must be client, server or models; without it both sides are generated
holdfast.yaml:11:10: two targets have the output folder a
    hint: give each target a folder of its own
    holdfast.yaml:5:10: the other one
holdfast.yaml:12:14: package: "func" is no package name: letters, digits and underscores, not a keyword of Go
holdfast.yaml:13:15: an element of include must be a string, found number
holdfast.yaml:14:5: a target must be a mapping with spec, out, package, only, runtime, importPath, runtimeAdd, strict, exactSchemas, skipUnsupported, include, exclude, allowRemote, overlays, lint, found string
`
	if r.code != 2 || r.stdout != "" || r.stderr != want {
		t.Errorf("status %d: %s", r.code, cmp.Diff(want, r.stderr))
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
	for text, want := range map[string]string{
		"":                      "holdfast.yaml",
		"[1]":                   "the file must be a mapping with version, targets, found list",
		"targets: {}":           "targets must be a list of targets, found mapping",
		"targets: []":           "targets must be a list of targets, found an empty one",
		"version: 1":            "targets must be a list of targets, found nothing",
		"targets:\n - spec: [":  "holdfast.yaml:2:",
		"targets: [{spec: a}]":  "the target has no out",
		"a: 1\na: 2\n":          "holdfast.yaml:2:1:",
		"targets: &a [*a]":      "holdfast.yaml:1:",
		"\xff\xfet\x00":         "holdfast.yaml",
		"targets: [{out: ''}]":  "out must be a string that is not empty",
		"targets: [{spec: ~}]":  "spec must be a string that is not empty, found null",
		"targets: [{? [a] : 1}": "holdfast.yaml:1:",
	} {
		put(t, dir, "holdfast.yaml", text)
		holdfast(t, dir, "generate").want(t, 2, "", want)
	}
	put(t, dir, "holdfast.yaml", "targets: 1\n")
	holdfast(t, dir, "generate", "--json").want(t, 2, `"code": "config-targets"`, "")
}

func TestInit(t *testing.T) {
	dir := project(t, map[string]string{"api/openapi.yml": "settings s.go\n"})
	holdfast(t, dir, "init", "--out", "gen/pets").want(t, 0, "Wrote holdfast.yaml; next, run 'holdfast generate'.\n", "")
	written := tree(t, dir)["holdfast.yaml"]
	for _, want := range []string{"  - spec: api/openapi.yml\n", "    out: gen/pets\n", "    package: pets\n", "# only: client", "# runtime: vendor", "# include:", "# strict: true"} {
		if !strings.Contains(written, want) {
			t.Errorf("want %q in\n%s", want, written)
		}
	}
	holdfast(t, dir, "generate").want(t, 0, "", "")
	if got := tree(t, filepath.Join(dir, "gen")); got["pets/s.go"] == "" {
		t.Errorf("got %v", got)
	}
	holdfast(t, dir, "init").want(t, 1, "", "holdfast.yaml is there already and stays as it is")
	if got := tree(t, dir)["holdfast.yaml"]; got != written {
		t.Error("the file was overwritten")
	}
	holdfast(t, dir, "init", "x").want(t, 2, "", `unexpected argument "x"`)
}

// Every setting that the written file mentions in a comment is one that works.
func TestInitExplainsRealSettings(t *testing.T) {
	dir := project(t, map[string]string{"my spec: 'x'.yaml": "settings s.go\n", "go.mod": "module shop\n"})
	holdfast(t, dir, "init", "--spec", "my spec: 'x'.yaml", "--out", "off", "--package", "off").want(t, 0, "next, run", "")
	text := tree(t, dir)["holdfast.yaml"]
	var all strings.Builder
	for line := range strings.Lines(text) {
		if setting, ok := strings.CutPrefix(line, "    # "); ok && isSetting(setting) {
			line = "    " + setting
		}
		all.WriteString(line)
	}
	put(t, dir, "holdfast.yaml", all.String())
	holdfast(t, dir, "generate", "--dry-run").want(t, 0, "create off/s.go\n", "")
	if n := strings.Count(all.String(), "\n    ") - strings.Count(all.String(), "\n    #"); n != 14 {
		t.Errorf("%d settings besides spec are shown:\n%s", n, all.String())
	}
}

func isSetting(s string) bool {
	name, _, ok := strings.Cut(s, ": ")
	return ok && !strings.Contains(name, " ") && name != "generated"
}
