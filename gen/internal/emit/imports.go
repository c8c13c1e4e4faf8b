package emit

import (
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// runtimePath is where the packages that generated code calls live; bundling
// rewrites it.
const runtimePath = "github.com/holdfast-go/holdfast/runtime"

// The packages of the runtime.
const (
	pkgJSON      = runtimePath + "/codec/json"
	pkgParam     = runtimePath + "/codec/param"
	pkgField     = runtimePath + "/codec/field"
	pkgMultipart = runtimePath + "/codec/multipart"
	pkgStream    = runtimePath + "/codec/stream"
	pkgValue     = runtimePath + "/value"
	pkgCheck     = runtimePath + "/check"
	pkgClient    = runtimePath + "/client"
	pkgServer    = runtimePath + "/server"
	pkgPolicy    = runtimePath + "/policy"
	pkgSecurity  = runtimePath + "/security"
	pkgFault     = runtimePath + "/fault"
	pkgLock      = runtimePath + "/lock"
	pkgSchema    = runtimePath + "/check/schema"
)

// importNames are the names of the packages that generated code imports; setting
// them keeps jennifer from writing an alias for each.
var importNames = map[string]string{
	pkgJSON: "json", pkgParam: "param", pkgField: "field", pkgMultipart: "multipart", pkgStream: "stream",
	pkgValue: "value", pkgCheck: "check", pkgClient: "client", pkgServer: "server",
	pkgPolicy: "policy", pkgSecurity: "security", pkgFault: "fault", pkgLock: "lock", pkgSchema: "schema",
	"cmp": "cmp", "context": "context", "errors": "errors", "fmt": "fmt", "io": "io", "iter": "iter",
	"net/http": "http", "net/netip": "netip", "net/url": "url", "strconv": "strconv",
	"time": "time",
}

// locals are the names of variables and parameters in generated functions. An
// import of the user's cannot have one of them.
var locals = []string{
	"b", "body", "c", "core", "ctx", "d", "e", "err", "f", "i", "items", "k", "key", "m", "n", "name", "o", "ok",
	"opts", "p", "r", "raw", "req", "res", "s", "seen", "svc", "t", "v", "w", "x",
}

// foreignImports gives each package of an x-go-type its import name: the one wished
// for or the last part of its path, changed where it would meet a name of ours.
func foreignImports(api *ir.API) map[string]string {
	wish := map[string]string{}
	for _, t := range api.Types {
		if g := t.GoType; g != nil && g.Import != "" {
			if have, ok := wish[g.Import]; !ok || have == "" || (g.Alias != "" && g.Alias < have) {
				wish[g.Import] = g.Alias
			}
		}
	}
	taken := map[string]bool{}
	for p, name := range importNames {
		if _, same := wish[p]; !same {
			taken[name] = true
		}
	}
	for _, name := range locals {
		taken[name] = true
	}
	paths := make([]string, 0, len(wish))
	for p := range wish {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	out := map[string]string{}
	for _, p := range paths {
		name := importWord(wish[p])
		if name == "" {
			name = importWord(packageWord(p))
		}
		if name == "" {
			name = "pkg"
		}
		for taken[name] || token.IsKeyword(name) || jen.IsReservedWord(name) {
			name += "pkg"
		}
		taken[name] = true
		out[p] = name
	}
	return out
}

// packageWord guesses the name of a package from its path.
func packageWord(p string) string {
	last := path.Base(p)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = path.Base(path.Dir(p))
	}
	last, _, _ = strings.Cut(last, ".")
	return strings.TrimPrefix(last, "go-")
}

// importWord reduces a wish to what an import can be called. Capitals go: private
// names of the package hold at least one, so the two cannot meet.
func importWord(s string) string {
	return strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, s), "0123456789")
}

// newFile makes a file with the header and the names of imports.
func newFile(pkg string, foreign map[string]string) *jen.File {
	f := jen.NewFile(pkg)
	f.NoFormat = true // output formats each file once, when it verifies it
	f.ImportNames(importNames)
	for p, name := range foreign {
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") || name != path.Base(p) {
			f.ImportAlias(p, name)
		} else {
			f.ImportName(p, name)
		}
	}
	return f
}
