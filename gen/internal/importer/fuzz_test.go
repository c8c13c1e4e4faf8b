package importer

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// Whatever a file holds, it is refused with a word or becomes an overlay without a
// fault.
func FuzzImport(f *testing.F) {
	for i, text := range []string{
		"openapi: 3.1.0\nx-speakeasy-timeout: 1\nx-speakeasy-retries: {strategy: backoff, statusCodes: [5XX, 404], backoff: {exponent: 3}}\npaths: {\"/a'b\\\\\": {get: {x-speakeasy-pagination: {type: url, outputs: {results: $.a, nextUrl: \"$['b c']\"}}}}}",
		"openapi: 3.0.0\nx-fern-idempotency-headers: [{header: \"A: b\"}]\npaths: {/a: {post: {x-fern-idempotent: true, x-fern-retries: {max-attempts: 3}}}}",
		`{"CodeGenSettings": {"Timeout": 1, "Retries": 2, "RetryInterval": 0.1, "BackoffMax": 3, "StatusCodesToRetry": [413], "RequestMethodsToRetry": ["POST"]}}`,
		`{"methodConfig": [{"name": [{"service": "a.B", "method": "#: \u2028"}], "timeout": "1.5s", "hedgingPolicy": {"maxAttempts": 3}}, {"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "1s", "retryableStatusCodes": [1]}}], "retryThrottling": {"tokenRatio": 1}}`,
	} {
		f.Add(i, text)
	}
	f.Fuzz(func(t *testing.T, format int, text string) {
		if format < 0 || format >= len(Formats()) || len(text) > 1<<12 {
			return
		}
		path := filepath.Join(t.TempDir(), "in.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list := &diag.List{}
		read := func(path string, _ int64) ([]byte, error) { return os.ReadFile(path) }
		overlay, err := Import(context.Background(), Options{Format: Formats()[format], Path: path, Read: read}, list)
		if err != nil {
			t.Fatal(err)
		}
		if overlay == nil {
			if !list.HasErrors() {
				t.Fatal("refused without a word")
			}
			return
		}
		faults := &diag.List{Strict: true}
		if o := load.ParseOverlay("o.yaml", overlay, faults); o == nil || faults.Len() > 0 {
			t.Fatalf("%v of\n%s", faults.Sorted(), overlay)
		}
	})
}
