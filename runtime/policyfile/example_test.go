package policyfile_test

import (
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

func Example() {
	search := &policy.Spec{
		ID: "search", Method: "GET", Path: "/search",
		Client: policy.Client{
			Effect:  policy.Read,
			Timeout: &policy.Timeout{Attempt: 10 * time.Second},
			Retry:   &policy.Retry{MaxAttempts: 2, BaseDelay: 500 * time.Millisecond, MaxDelay: 2 * time.Second},
		},
	}
	file, err := policyfile.Parse("policy.json", []byte(`{
		"version": 1,
		"operations": {"search": {"timeout": "3s", "retry": {"maxAttempts": 4}}}
	}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := file.Apply([]*policy.Spec{search}, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(changed[0].Client.Timeout.Attempt, changed[0].Client.Retry.MaxAttempts)

	_, err = policyfile.Parse("policy.json", []byte(`{
		"version": 1,
		"operations": {"search": {"retry": {"maxAttempt": 40, "safety": "always"}}}
	}`), nil)
	fmt.Println(err)
	// Output:
	// 3s 4
	// policy.json:3:39: /operations/search/retry/maxAttempt: unknown: did you mean maxAttempts? want one of maxAttempts, baseDelay, maxDelay, jitter, statuses, never, errors, rules, maxRetryAfter, planRetryAfter, budget, shrink, mode
	// policy.json:3:57: /operations/search/retry/safety: a policy file cannot change it: what may be repeated safely is decided when code is generated
}
