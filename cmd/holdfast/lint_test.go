package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// storm is a document with one major finding, which an overlay mends, and one minor.
const storm = `openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /orders:
    get:
      operationId: listOrders
      x-resilience: {retry: {jitter: none, maxAttempts: 7}}
      responses: {'204': {description: ok}}
`

// keyed has a finding that an overlay mends, and one that needs a decision.
const keyed = `openapi: 3.1.0
info: {title: Pets, version: '1'}
x-resilience: {version: 1}
paths:
  /pets:
    post:
      operationId: addPet
      x-resilience: {idempotency: {key: caller, ttl: 1m}, retry: {maxAttempts: 3}}
      responses: {'201': {description: ok}}
`

func TestLint(t *testing.T) {
	dir := project(t, map[string]string{"api.yaml": storm, "good.yaml": strings.Replace(storm, "jitter: none, maxAttempts: 7", "jitter: full", 1)})
	r := shipped(t, dir, "lint", "api.yaml")
	r.want(t, 1, "2 findings", "")
	if r.stdout != `api.yaml:7:38: major: retry.jitter is none (GET /orders) [retry-jitter-none]
    7 |       x-resilience: {retry: {jitter: none, maxAttempts: 7}}
      |                                      ^
    why: Callers that failed together come back together, again and again, and hold down the service that tries to recover.
    mend: Write jitter: full.
api.yaml:7:57: minor: 7 attempts (GET /orders) [retry-attempts]
    7 |       x-resilience: {retry: {jitter: none, maxAttempts: 7}}
      |                                                         ^
    why: What five tries do not get, more seldom do; they multiply load and hold the caller.
    mend: At most 5; what must get through in the end belongs into an outbox or a job.
2 findings: 1 major, 1 minor; --fix FILE mends 2
` {
		t.Errorf("got\n%s", r.stdout)
	}
	shipped(t, dir, "lint", "api.yaml", "--severity", "critical").want(t, 0, "2 findings", "")
	shipped(t, dir, "lint", "good.yaml").want(t, 0, "0 findings\n", "")
	shipped(t, dir, "lint", "good.yaml", "api.yaml").want(t, 1, "api.yaml:7:38", "")
	shipped(t, dir, "lint", "api.yaml", "--format", "github").want(t, 1, "::warning file=api.yaml,line=7,col=38,", "")
	shipped(t, dir, "lint", "--rules").want(t, 0, "retry-jitter-none             major    Retries wait without jitter.\n", "")
	for _, format := range []string{"json", "sarif"} {
		out := shipped(t, dir, "lint", "api.yaml", "--format", format).stdout
		if !json.Valid([]byte(out)) || !strings.Contains(out, "retry-jitter-none") {
			t.Errorf("--format %s: %s", format, out)
		}
	}
}

// The overlay of --fix makes the findings go, and is written over only where lint has
// written it.
func TestLintFix(t *testing.T) {
	dir := project(t, map[string]string{"api.yaml": storm, "mine.yaml": "overlay: 1.1.0\n"})
	shipped(t, dir, "lint", "api.yaml", "--fix", "fix.yaml").want(t, 1, "2 findings", "fix.yaml mends 2 findings\n")
	shipped(t, dir, "lint", "api.yaml", "--overlay", "fix.yaml").want(t, 0, "0 findings\n", "")
	shipped(t, dir, "lint", "api.yaml", "--fix", "fix.yaml").want(t, 1, "2 findings", "")
	shipped(t, dir, "lint", "api.yaml", "--overlay", "fix.yaml", "--fix", "more.yaml").want(t, 0, "0 findings", "nothing to mend; no file was written\n")
	put(t, dir, "keyed.yaml", keyed)
	put(t, dir, "decide.yaml", strings.Replace(keyed, "ttl: 1m", "ttl: 24h", 1))
	shipped(t, dir, "lint", "keyed.yaml", "--fix", "keyed-fix.yaml").want(t, 1, "2 findings", "keyed-fix.yaml mends 1 finding; of the other 1, mend: says what is yours to decide\n")
	shipped(t, dir, "lint", "decide.yaml", "--fix", "none.yaml").want(t, 1, "1 finding", "of 1 finding, mend: says what is yours to decide; no file was written\n")
	shipped(t, dir, "lint", "api.yaml", "--fix", "mine.yaml").want(t, 2, "2 findings", "mine.yaml is there and was not written by lint")
	if data, err := os.ReadFile(filepath.Join(dir, "mine.yaml")); err != nil || string(data) != "overlay: 1.1.0\n" {
		t.Errorf("mine.yaml is %q, %v", data, err)
	}
	shipped(t, dir, "lint", "--overlay", "fix.yaml").want(t, 0, "0 findings\n", "")
}

// Without a document the targets of the configuration file are looked at, with their
// settings.
func TestLintConfigured(t *testing.T) {
	const target = "version: 1\ntargets:\n  - {spec: api.yaml, out: out"
	dir := project(t, map[string]string{"api.yaml": storm, "holdfast.yaml": target + "}\n"})
	shipped(t, dir, "lint").want(t, 1, "2 findings", "")
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "holdfast.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(target + ", lint: {severity: critical}}\n")
	shipped(t, dir, "lint").want(t, 0, "2 findings", "")
	shipped(t, dir, "lint", "--severity", "minor").want(t, 1, "2 findings", "")
	write(target + ", lint: {waive: {retry-jitter-none: one caller}}}\n")
	shipped(t, dir, "lint").want(t, 0, "1 finding: 1 minor; 1 waived", "")
	if err := os.Rename(filepath.Join(dir, "holdfast.yaml"), filepath.Join(dir, "other.yaml")); err != nil {
		t.Fatal(err)
	}
	shipped(t, dir, "lint", "--config", "other.yaml").want(t, 0, "1 finding: 1 minor; 1 waived", "")
	write(target + ", lint: {waive: {retry-jitter: one caller}}}\n")
	shipped(t, dir, "lint").want(t, 2, "", `there is no rule "retry-jitter" to waive`)
}

// untyped is a document whose answer has a bound only where its schema is taken for a
// list, which a schema without a type is not to the letter.
const untyped = `openapi: 3.1.0
info: {title: Shop, version: '1'}
security: [{key: []}]
paths:
  /orders:
    post:
      operationId: createOrder
      x-resilience: {idempotency: {maxBody: 1KB}}
      responses: {'200': {description: ok, content: {application/json: {schema: {maxItems: 1000, items: {type: string, maxLength: 5000}}}}}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
`

// The options that say how a document is read.
func TestLintReads(t *testing.T) {
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(storm)) // the tool is what is tested
	}))
	t.Cleanup(remote.Close)
	dir := project(t, map[string]string{
		"api.yaml": storm, "untyped.yaml": untyped, "dynamic.yaml": withDynamic(strings.Replace(shop, "title: Shop", "title: Store", 1)),
		"twice.yaml": strings.Replace(shop, "operationId: purge", "operationId: getOrder", 1),
	})
	shipped(t, dir, "lint", "api.yaml", "--include", "other*").want(t, 0, "0 findings; --remarks shows 1 more", "")
	shipped(t, dir, "lint", "api.yaml", "--exclude", "listOrders").want(t, 0, " findings", "")
	shipped(t, dir, "lint", "twice.yaml", "--remarks").want(t, 0, "twice.yaml:13:", "")
	shipped(t, dir, "lint", "twice.yaml", "--strict").want(t, 1, "critical: ", "")
	shipped(t, dir, "lint", "dynamic.yaml").want(t, 1, "dynamic.yaml:13:92: critical: ", "")
	shipped(t, dir, "lint", "dynamic.yaml", "--skip-unsupported", "--remarks").want(t, 0, "dynamic.yaml:13:92: info: ", "")
	shipped(t, dir, "lint", "untyped.yaml").want(t, 1, "idempotency-max-body", "")
	if r := shipped(t, dir, "lint", "untyped.yaml", "--exact-schemas"); r.code != 0 || strings.Contains(r.stdout, "idempotency-max-body") {
		t.Errorf("to the letter: status %d\n%s", r.code, r.stdout)
	}
	shipped(t, dir, "lint", remote.URL+"/api.yaml", "--allow-remote").want(t, 1, remote.URL+"/api.yaml:7:38: major: ", "")
}

func TestLintUsage(t *testing.T) {
	dir := project(t, map[string]string{"api.yaml": storm})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"lint"}, "no document is given, and no holdfast.yaml is in this folder or above it"},
		{[]string{"lint", "api.yaml", "--severity", "majr"}, "Did you mean major?"},
		{[]string{"lint", "api.yaml", "--format", "xml"}, `--format cannot be "xml": it is one of text, json, sarif, github`},
		{[]string{"lint", "api.yaml", "api.yaml", "--fix", "f.yaml"}, "--fix writes one overlay for one document, and 2 are given"},
		{[]string{"lint", "api.yaml", "--config", "holdfast.yaml"}, "--config names a file with targets: give it or a document"},
		{[]string{"lint", "https://example.com/a.yaml"}, "--spec: https://example.com/a.yaml would be read over the network"},
		{[]string{"lint", "--include", "x"}, "--include belongs to a document that is named too"},
		{[]string{"lint", "--rules", "x"}, `unexpected argument "x"`},
	} {
		shipped(t, dir, c.args...).want(t, 2, "", c.want)
	}
	shipped(t, dir, "lint", "absent.yaml").want(t, 1, "critical: cannot read the document", "")
}

// What generate says of the document itself is counted, and shown when asked for.
func TestLintRemarks(t *testing.T) {
	odd := strings.Replace(storm, "      responses:", "      parameters: [{name: a, in: query, schema: {type: string, nullable: true}}]\n      responses:", 1)
	dir := project(t, map[string]string{"api.yaml": odd})
	shipped(t, dir, "lint", "api.yaml").want(t, 1, "2 findings: 1 major, 1 minor; --fix FILE mends 2; --remarks shows 1 more about the document itself\n", "")
	shipped(t, dir, "lint", "--remarks", "api.yaml").want(t, 1, "3 findings: 1 major, 2 minor; --fix FILE mends 2\n", "")
}
