package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// adapters are the packages of the runtime that have dependencies: leaves,
// which no other package of the runtime imports.
var adapters = []string{"runtime/store/redis", "runtime/store/sql", "runtime/observe/otel", "runtime/policyfile/yaml"}

// primitives are the packages of one mechanism each. What combines them is
// runtime/pipeline, client and server.
var primitives = []string{
	"runtime/retry", "runtime/breaker", "runtime/bulkhead", "runtime/ratelimit", "runtime/deadline", "runtime/idempotency",
	"runtime/hedge", "runtime/fallback", "runtime/cache", "runtime/lock",
}

// listed is one package, with paths of our own module relative to it.
type listed struct {
	path    string
	imports []string
}

// listPackages lists the packages of the module without their tests. Since
// every package is there with its direct imports, rules about direct imports
// hold for indirect ones.
func listPackages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string   `json:"ImportPath"`
			Imports    []string `json:"Imports"`
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		l := listed{path: strings.TrimPrefix(p.ImportPath, modulePath+"/")}
		for _, imp := range p.Imports {
			short, own := strings.CutPrefix(imp, modulePath+"/")
			if !own && ours(imp) {
				short = "std/" + imp // Go has a package runtime, too
			}
			l.imports = append(l.imports, short)
		}
		all = append(all, l)
	}
	if len(all) < 5 {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}

// below reports whether p is one of the packages or inside one of them.
func below(p string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return p == root || strings.HasPrefix(p, root+"/")
	})
}

// ours reports whether p, as listed has it, is a package of this module.
func ours(p string) bool {
	return below(p, "cmd", "examples", "gen", "golden", "runtime", "spec-extensions", "templates", "testdata")
}

// foreign reports whether p is a package of another module.
func foreign(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return strings.Contains(first, ".")
}

// brokenRule names the rule that an import breaks, or is empty.
func brokenRule(from, imp string) string {
	switch {
	case below(from, "runtime"):
		return brokenRuntimeRule(from, imp)
	case below(imp, "cmd"):
		return "nothing imports a command"
	case below(from, "cmd"):
		if ours(imp) && !below(imp, "gen", "runtime") {
			return "a command uses the generator, and nothing else of its parts"
		}
	case below(from, "gen"):
		return brokenGeneratorRule(from, imp)
	case below(from, "spec-extensions"):
		if ours(imp) && imp != "runtime/policy" {
			return "spec-extensions knows policies only"
		}
	}
	return ""
}

func brokenRuntimeRule(from, imp string) string {
	switch {
	case ours(imp) && !below(imp, "runtime"):
		return "the runtime imports nothing of the generator"
	case foreign(imp) && !below(from, adapters...):
		return "the core of the runtime imports the standard library only"
	case below(imp, adapters...) && !below(from, adapters...):
		return "adapters are leaves"
	case imp == "runtime":
		return "the embedded sources are for the tool, not for programs"
	case (imp == "net/http" || strings.HasPrefix(imp, "net/http/")) && below(from, "runtime/fault", "runtime/policy"):
		return "errors and policies are for programs without an HTTP stack too"
	case below(from, primitives...) && below(imp, primitives...) && !sameRoot(from, imp):
		return "no primitive imports another"
	}
	return ""
}

func sameRoot(a, b string) bool {
	return slices.ContainsFunc(primitives, func(p string) bool { return below(a, p) && below(b, p) })
}

// irImports are what ir is made of: policies and the schemas of rules have one
// definition, for the generator as for the programs that it writes.
var irImports = []string{"runtime/policy", "runtime/check/schema", "gen/internal/diag"}

func brokenGeneratorRule(from, imp string) string {
	only := func(packages ...string) bool { return !below(from, packages...) }
	switch {
	case from == "gen/internal/ir" && ours(imp) && !slices.Contains(irImports, imp):
		return "ir is plain data: policies, schemas and positions"
	case below(from, "gen/internal") && imp == "gen":
		return "the parts do not know the whole"
	case strings.HasPrefix(imp, "github.com/dave/jennifer") && only("gen/internal/emit"):
		return "only emit writes Go"
	case strings.Contains(imp, "/yaml") && foreign(imp) && only("gen/internal/load"):
		return "only load reads YAML"
	case imp == "gen/internal/load" && from != "gen" && only("gen/internal/lower", "gen/internal/resilience", "gen/internal/importer", "gen/internal/lint"):
		return "documents end where ir begins"
	case (imp == "net/http" || strings.HasPrefix(imp, "net/http/")) && only("gen/internal/load", "gen/demo"):
		return "only load uses the network"
	case imp == "github.com/spf13/pflag" || imp == "golang.org/x/term":
		return "flags and terminals are the command's"
	}
	return ""
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imp := range p.imports {
			if rule := brokenRule(p.path, imp); rule != "" {
				t.Errorf("%s imports %s: %s", p.path, imp, rule)
			}
		}
	}
}

// The rules themselves: each line is an import that one of them forbids, or,
// with "ok" in front, one that is fine.
func TestImportRules(t *testing.T) {
	for line, want := range map[string]bool{
		"runtime/retry gen/internal/ir":                        true,
		"runtime/retry github.com/google/uuid":                 true,
		"runtime/retry runtime/breaker":                        true,
		"runtime/retry runtime/policy":                         false,
		"runtime/retry net/http":                               false,
		"runtime/fault net/http":                               true,
		"runtime/store/redis github.com/redis/go-redis/v9":     false,
		"runtime/store runtime/store/redis":                    true,
		"runtime/client runtime":                               true,
		"runtime/pipeline runtime/breaker":                     false,
		"gen cmd/holdfast":                                     true,
		"gen runtime":                                          false,
		"gen/internal/ir gen/internal/load":                    true,
		"gen/internal/ir gen/internal/diag":                    false,
		"gen/internal/lower github.com/dave/jennifer/jen":      true,
		"gen/internal/emit github.com/dave/jennifer/jen":       false,
		"gen/internal/lower go.yaml.in/yaml/v3":                true,
		"gen/internal/emit gen/internal/load":                  true,
		"gen/internal/load net/http":                           false,
		"gen net/http":                                         true,
		"gen/internal/output gen":                              true,
		"cmd/holdfast gen":                                     false,
		"cmd/holdfast templates":                               true,
		"cmd/holdfast github.com/spf13/pflag":                  false,
		"gen github.com/spf13/pflag":                           true,
		"spec-extensions go.yaml.in/yaml/v3":                   false,
		"spec-extensions gen":                                  true,
		"golden/booking runtime/client":                        false,
		"runtime/codec/json runtime/value":                     false,
		"runtime/store/redis runtime/store/redis/internal/lua": false,
	} {
		from, imp, _ := strings.Cut(line, " ")
		if rule := brokenRule(from, imp); (rule != "") != want {
			t.Errorf("%s: rule %q", line, rule)
		}
	}
}
