package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What another tool says ends in the generated client.
func TestImport(t *testing.T) {
	const retries = "\nx-speakeasy-retries: {strategy: backoff, backoff: {initialInterval: 321, maxInterval: 4321, maxElapsedTime: 20000, exponent: 1.5}, statusCodes: [503], retryConnectionErrors: true}\n"
	dir := project(t, map[string]string{
		"openapi.yaml": strings.Replace(shop, "\n", retries, 1),
		"grpc.json":    `{"methodConfig": [{"name": [{"service": "shop.Orders", "method": "GetOrder"}], "timeout": "1.234s"}]}`,
	})
	r := shipped(t, dir, "import", "speakeasy", "openapi.yaml", "--out", "o.yaml")
	const next = "generate --spec openapi.yaml --overlay o.yaml --out internal/api"
	r.want(t, 0, "Wrote o.yaml; next:\n\n    holdfast "+next+"\n", "openapi.yaml:2:126: warning: waits double")
	shipped(t, dir, "import", "speakeasy", "openapi.yaml", "--out", "o.yaml").want(t, 1, "", "o.yaml is there already and stays as it is")
	shipped(t, dir, strings.Fields(next)...).want(t, 0, "", "")
	if text := tree(t, filepath.Join(dir, "internal/api"))["policy.go"]; !strings.Contains(text, "321") || !strings.Contains(text, "4321") {
		t.Errorf("the delays are not in the policy:\n%s", text)
	}
	shipped(t, dir, "import", "grpc-service-config", "grpc.json", "--spec", "openapi.yaml").
		want(t, 0, "- {to: {operations: [getOrder]}, policy: {client: {timeout: {attempt: 1234ms, total: 1234ms}}}}\n", "")
	shipped(t, dir, "import", "grpc-service-config", "grpc.json", "--out", "it's.yaml").
		want(t, 0, "    holdfast generate --spec FILE --overlay 'it'\\''s.yaml' --out internal/api\n", "")
	for args, want := range map[string]string{
		"":                                    "a format and a file are needed, found 0 arguments",
		"speakeesy openapi.yaml":              "unknown format \"speakeesy\"\nDid you mean speakeasy?",
		"openapi.yaml":                        `unknown format "openapi.yaml"`,
		"fern":                                "no file is given to import from",
		"fern a.yaml b.yaml":                  "found 3 arguments",
		"fern openapi.yaml --spec other.yaml": "--spec goes with grpc-service-config",
	} {
		shipped(t, dir, append([]string{"import"}, strings.Fields(args)...)...).want(t, 2, "", want)
	}
	shipped(t, dir, "import", "fern", "openapi.yaml").want(t, 1, "", "nothing of fern in it can be imported")
	shipped(t, dir, "import", "fern", "none.yaml").want(t, 1, "", "no such file")
	shipped(t, dir, "import", "grpc-service-config", "none.json").want(t, 1, "", "none.json: no such file")
}
