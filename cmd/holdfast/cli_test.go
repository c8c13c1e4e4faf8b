package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	dir := t.TempDir()
	for _, args := range []string{"help", "--help", "-h"} {
		r := holdfast(t, dir, args)
		for _, want := range []string{"holdfast COMMAND", "generate", "init", "completion", "version", "help"} {
			r.want(t, 0, want, "")
		}
	}
	holdfast(t, dir).want(t, 2, "", "holdfast COMMAND")
	for _, args := range [][]string{{"help", "generate"}, {"generate", "--help"}, {"generate", "-h"}} {
		r := holdfast(t, dir, args...)
		r.want(t, 0, "Usage:\n\n    holdfast generate [OPTIONS]\n", "")
		for _, flag := range []string{
			"spec FILE", "overlay FILE", "out DIR", "package NAME", "config FILE", "client-only", "server-only", "models-only", "runtime HOW",
			"import-path PATH", "runtime-add PACKAGE", "include FILTER", "exclude FILTER", "strict", "exact-schemas", "skip-unsupported",
			"allow-remote", "check", "dry-run", "json",
		} {
			r.want(t, 0, "    --"+flag, "")
		}
	}
	holdfast(t, dir, "help", "generat").want(t, 2, "", "Did you mean 'holdfast generate'?")
	holdfast(t, dir, "help", "init", "more").want(t, 2, "", `unexpected argument "more"`)
}

func TestUnknownCommand(t *testing.T) {
	dir := t.TempDir()
	holdfast(t, dir, "genrate").want(t, 2, "", "holdfast: unknown command \"genrate\"\nDid you mean 'holdfast generate'?\n")
	holdfast(t, dir, "qqqqqqqq").want(t, 2, "", "The commands are generate, init")
	holdfast(t, dir, "--spec", "x").want(t, 2, "", "the command comes first, found the option --spec")
	holdfast(t, dir, "gen\x1b[2J").want(t, 2, "", `unknown command "gen\`)
}

func TestVersion(t *testing.T) {
	shape := regexp.MustCompile(`^holdfast \S+ go1\.\d+\S* \w+/\w+\n$`)
	for _, arg := range []string{"version", "--version"} {
		if r := holdfast(t, t.TempDir(), arg); r.code != 0 || !shape.MatchString(r.stdout) {
			t.Errorf("%+v", r)
		}
	}
	ours := debug.Module{Path: modulePath, Version: "v1.2.3"}
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3":    {Main: ours},
		"(devel)":   {Main: debug.Module{Path: modulePath}},
		"v1.2.3 ":   {Main: debug.Module{Path: "shop"}, Deps: []*debug.Module{{Path: "x", Version: "v9.0.0"}, &ours}},
		"(devel) ":  {Main: debug.Module{Path: "shop"}, Deps: []*debug.Module{{Path: modulePath, Version: "v1.0.0", Replace: &debug.Module{Path: "../holdfast"}}}},
		"v1.5.0":    {Main: debug.Module{Path: "shop"}, Deps: []*debug.Module{{Path: modulePath, Version: "v1.0.0", Replace: &debug.Module{Path: "fork", Version: "v1.5.0"}}}},
		"(unknown)": {Main: debug.Module{Path: "shop"}},
	} {
		if got := versionOf(info); got != strings.TrimSpace(want) {
			t.Errorf("versionOf(%+v) = %s, want %s", info, got, want)
		}
	}
	if got := versionOf(nil); got != "(unknown)" {
		t.Error(got)
	}
}

func TestCompletionScripts(t *testing.T) {
	dir := t.TempDir()
	for _, shell := range shells {
		r := holdfast(t, dir, "completion", shell)
		r.want(t, 0, "__complete", "")
		put(t, dir, shell, r.stdout)
	}
	if out, err := exec.CommandContext(t.Context(), "bash", "-n", filepath.Join(dir, "bash")).CombinedOutput(); err != nil {
		t.Errorf("bash: %v\n%s", err, out)
	}
	holdfast(t, dir, "completion").want(t, 2, "", "name one shell: bash, zsh, fish, powershell")
	holdfast(t, dir, "completion", "tcsh").want(t, 2, "", `no completion for "tcsh"`)
}

// TestCompletionInBash drives the real script with the variables that bash
// sets for "holdfast <words>" and a tab.
func TestCompletionInBash(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "script", holdfast(t, dir, "completion", "bash").stdout)
	put(t, dir, "api.yaml", "")
	put(t, dir, "sub/x", "")
	for words, want := range map[string]string{
		"ge":                             "generate",
		"generate --client":              "--client-only",
		"generate --runtime v":           "vendor",
		"generate --runtime = v":         "vendor",
		"generate --include ta":          "tag:",
		"generate --spec ap":             "api.yaml",
		"generate --out s":               "sub",
		"generate --spec api.yaml --che": "--check",
		"completion z":                   "zsh",
		"help ini":                       "init",
		"import spe":                     "speakeasy",
		"import speakeasy ap":            "api.yaml",
		"generate --overlay ap":          "api.yaml",
		"generate --over":                "--overlay",
	} {
		program := `source ./"$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf '%s\n' "${COMPREPLY[@]}"`
		args := append([]string{"-c", program, "bash", "script", binary}, strings.Fields(words)...)
		cmd := exec.CommandContext(t.Context(), "bash", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", words, got, err, want)
		}
	}
}

func TestCandidates(t *testing.T) {
	commands := (&app{}).commands()
	for words, want := range map[string]string{
		"":                      "generate",
		`generate,""`:           "",
		"generate,--spec,":      ":files",
		"generate,--out=":       ":dirs",
		"generate,--json,--dry": "--dry-run\twrite nothing; list what would be written",
		"nosuch,x":              "",
		"__complete,x":          "",
		"generate,--nosuch=x":   "",
		`completion,""`:         "bash",
	} {
		got := ""
		if lines := candidates(commands, strings.Split(words, ",")); len(lines) > 0 {
			got, _, _ = strings.Cut(lines[0], "\tgenerate Go")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
	if got := candidates(commands, nil); len(got) == 0 {
		t.Error("nothing for no words")
	}
}
