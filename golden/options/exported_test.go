package options_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere are options whose tests are about more than the option.
var elsewhere = map[string]string{
	"client.APIKey":          "golden/gallery: TestSecurity, one test for each place of a key",
	"client.Basic":           "golden/gallery: TestSecurity",
	"client.Bearer":          "golden/gallery: TestSecurity",
	"client.CacheStore":      "runtime/client: TestCachePrincipal, TestCacheNeedsStore",
	"client.CacheTargets":    "runtime/client: TestCacheTargets",
	"client.CostFunc":        "golden/limits: TestCostIsCorrected",
	"client.FallbackHandler": "golden/rates: TestFallback",
	"client.IfMatch":         "golden/wiki: TestUpdate",
	"client.KeyFunc":         "golden/limits: TestKeyFromFunction",
	"server.Locks":           "golden/accounts: TestTransfers",
	"client.NoCache":         "runtime/client: TestCache",
	"client.NoFallback":      "runtime/client: TestOptionsWithoutTheirPrimitive",
	"client.PolicyDecoder":   "golden/payments: TestPolicyFileOverTCP",
	"client.Profile":         "golden/levels: TestClientLevels, TestProfileOfProcess",
	"client.Refresh":         "runtime/client: TestCache",
	"client.SemanticCache":   "golden/chat: TestSimilarQuestion",
	"client.ShareBreakers":   "golden/watched: TestBreakersAreShared, TestBreakersWithoutRedis",
	"client.TokenSource":     "golden/gallery: TestTokenSource",
	"client.WithPolicyFile":  "golden/payments: TestPolicyFileOverTCP",
	"server.Authenticate":    "golden/gallery: TestSecurity, TestRefusals, TestMutualTLS",
	"server.PolicyDecoder":   "golden/payments: TestPolicyFileOverTCP",
	"server.Profile":         "golden/levels: TestServerLevels, TestUnknownProfileOfServer",
	"server.ValueFunc":       "golden/meters: TestStoreError, TestSharedStore",
	"server.Debug":           "golden/watched: TestDebugPage, TestPagesAreOptIn",
	"server.Health":          "golden/watched: TestPagesAreOptIn, TestHealthWhileNothingPasses",
	"server.LimitStore":      "golden/meters: TestStoreError, TestSharedStore",
	"server.RoutePath":       "golden/gallery: TestWebhooksAndCallbacks, TestUnimplementedHooks",
	"server.WithPolicyFile":  "golden/payments: TestPolicyFileOverTCP",
}

// optionsOf are the exported functions of a package of the runtime that give an option.
func optionsOf(t *testing.T, pkg string, results ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "runtime", pkg, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no source", err)
	}
	var found []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			if id, is := f.Type.Results.List[0].Type.(*ast.Ident); is && slices.Contains(results, id.Name) {
				found = append(found, pkg+"."+f.Name.Name)
			}
		}
	}
	return found
}

// TestEveryOptionIsTried finds options that were added without a test over a connection.
func TestEveryOptionIsTried(t *testing.T) {
	tried := map[string]bool{}
	for name := range elsewhere {
		tried[name] = true
	}
	for name := range clientOptions {
		tried["client."+name] = true
	}
	for name := range callOptions {
		tried["client."+name] = true
	}
	for name := range serverOptions {
		tried["server."+name] = true
	}
	all := append(optionsOf(t, "client", "Option", "CallOption"), optionsOf(t, "server", "Option")...)
	if len(all) < 30 {
		t.Fatalf("only %d options found", len(all))
	}
	for _, name := range all {
		if !tried[name] {
			t.Errorf("%s has no test", name)
		}
		delete(tried, name)
	}
	for name := range tried {
		t.Errorf("%s is no option", name)
	}
}
