package policyfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// FuzzFile: no text panics, what is taken leaves policies that pass all checks, and the
// generated ones are not touched.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		`{"version": 1, "all": {"timeout": "2s", "retry": {"maxAttempts": 3, "statuses": ["5xx"], "rules": {"busy": {"wait": "1s"}}}}}`,
		`{"version": 1, "operations": {"getPet": {"breaker": {"window": {"time": "10s"}, "failureRate": 0.5}, "client": {"hedge": {"delay": "p95"}}}}}`,
		`{"version": 1, "profiles": {"p": {"operations": {"createPet": {"rateLimit": {"buckets": {"writes": {"limit": 1}}}, "lock": {"expected": "1m"}}}}}}`,
		`{"version": 1, "all": {"bulkhead": {"maxConcurrent": 1e6, "hold": "none"}, "idempotency": {"lease": "1d", "maxBody": "1MiB"}, "retry": false}}`,
		`[{"a": null}]`, `{"version": 1e0, "all": {"retry": {"maxAttempts": 1.0}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := policyfile.Parse("p", []byte(text), nil)
		if err != nil {
			_ = err.Error()
			return
		}
		specs := []any{getPet(), createPet()}
		pet, create := getPet(), createPet()
		got, err := file.Apply([]*policy.Spec{pet, create}, "p")
		if diff := cmp.Diff(specs, []any{pet, create}); diff != "" {
			t.Fatalf("the generated policies were changed:\n%s", diff)
		}
		if err != nil {
			return
		}
		for _, s := range got {
			if err := s.Validate(); err != nil {
				t.Fatalf("%s is taken and breaks %s: %v", text, s.ID, err)
			}
		}
	})
}
