package resilience_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	const rest = `breaker "train-travel" opens after 5 failures in 10 calls; at most 128 calls at once`
	for _, tt := range []struct {
		name string
		levels
		want []string
	}{
		{"built in", levels{}, []string{
			// 2 x 10s + 500ms
			"Up to 2 tries of 10s within 20.5s, retried on 408, 425, 429, 500, 502 to 504 and transport errors; " + rest + ".",
		}},
		{"a write", levels{method: "post"}, []string{
			"Up to 2 tries of 10s within 20.5s, repeated only if it was never sent or was refused; " + rest + ".",
		}},
		{"a write with a key", levels{method: "post", op: "{idempotency: true, retry: {statuses: [5xx, 429]}}"}, []string{
			// 501 and 505 are in never.
			"Up to 2 tries of 10s within 20.5s, retried on 429, 500, 502 to 504, 506 to 599 and transport errors; " + rest + "; idempotency key required.",
			"The server: results are replayed for 24h.",
		}},
		{"an implied key", levels{method: "post", params: "[{name: Idempotency-Key, in: header, schema: {type: string}}]"}, []string{
			"Up to 2 tries of 10s within 20.5s, retried on 408, 425, 429, 500, 502 to 504 and transport errors if it has an idempotency key; " + rest + "; idempotency key optional.",
		}},
		{"bare", levels{op: "false"}, []string{"One try of 10s."}},
		{"a try longer than the call", levels{op: "{timeout: {total: 2s}, retry: none, breaker: false, bulkhead: false}"}, []string{"One try within 2s."}},
		{"without a bound", levels{op: "{timeout: false, waive: {timeout-off: it is a test}, retry: false, breaker: false, bulkhead: false}"}, []string{
			"One try without a bound in time.",
		}},
		{"all kinds", levels{op: `{retry: {rules: {a: {status: 403, do: retry}}, statuses: [], errors: []},
          breaker: {preset: high-traffic, key: [$request.path.id]}, bulkhead: {name: slow, maxConcurrent: 1, mode: shadow},
          client: {rateLimit: {buckets: {a: {limit: 9, per: 1m}, b: {limit: 1, per: 1s}}}},
          server: {bulkhead: {maxConcurrent: 3}, rateLimit: free}}`}, []string{
			`Up to 2 tries of 10s within 20.5s, by 1 rule; a breaker for each $request.path.id opens at 50 % of failures in 10s from 20 calls on; ` +
				`at most 1 call at once in "slow" (only watched); at most 9 calls in 1m of "a" and 1 call in 1s of "b".`,
			"The server: at most 60 requests in 1m; at most 3 requests at once.",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := applyText(t, tt.document()).clean().op("a").Policy.Words
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("words (-want +got):\n%s", d)
			}
		})
	}
}
