package retry_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// body is a response's body as a table of pointers.
type body map[string]string

func (b body) Lookup(e policy.Expr) (policy.Value, bool) {
	text, ok := b[e.Name]
	return policy.Value{Text: text, JSON: true}, ok && e.Source == policy.FromResponseBody
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestJudgeStatuses(t *testing.T) {
	want := map[int]retry.Next{
		200: retry.Final, 304: retry.Final, 400: retry.Final, 401: retry.Final, 403: retry.Final, 404: retry.Final,
		408: retry.Retry, 409: retry.Final, 410: retry.Final, 422: retry.Final, 425: retry.Retry, 429: retry.Retry,
		500: retry.Retry, 501: retry.Final, 502: retry.Retry, 503: retry.Retry, 504: retry.Retry, 505: retry.Final,
		507: retry.Final,
	}
	for status, next := range want {
		v := retry.Judge(&userFacing, retry.Observation{Status: status, Header: header()})
		if v.Do != next || v.Refused != (status == 429) {
			t.Errorf("%d: %+v, want %v", status, v, next)
		}
	}
	// A range gives way to never, and the five are never repeated whatever it says.
	wide := policy.Retry{Statuses: policy.Statuses{}.Range(400, 599), Never: policy.StatusSet(501)}
	for status, next := range map[int]retry.Next{
		400: retry.Final, 401: retry.Final, 403: retry.Final, 404: retry.Final, 422: retry.Final, 501: retry.Final,
		402: retry.Retry, 599: retry.Retry,
	} {
		if v := retry.Judge(&wide, retry.Observation{Status: status}); v.Do != next {
			t.Errorf("wide %d: %+v, want %v", status, v, next)
		}
	}
}

func TestJudgeErrors(t *testing.T) {
	p := policy.Retry{Errors: policy.ConnectErrors | policy.TimeoutErrors}
	for class, next := range map[policy.ErrorSet]retry.Next{
		policy.ConnectErrors: retry.Retry, policy.TimeoutErrors: retry.Retry, policy.EOFErrors: retry.Final, 0: retry.Final,
	} {
		if v := retry.Judge(&p, retry.Observation{Class: retry.Class{Set: class}}); v.Do != next {
			t.Errorf("%v: %+v, want %v", class, v, next)
		}
	}
}

func TestJudgeInFlight(t *testing.T) {
	busy := header("Retry-After", "1")
	for _, tt := range []struct {
		o    retry.Observation
		next retry.Next
	}{
		{retry.Observation{Status: 409, Keyed: true, Header: busy}, retry.InFlight},
		{retry.Observation{Status: 409, Header: busy}, retry.Final},
		{retry.Observation{Status: 409, Keyed: true, Header: header()}, retry.Final},
		{retry.Observation{Status: 409, Keyed: true}, retry.Final},
	} {
		if v := retry.Judge(&userFacing, tt.o); v.Do != tt.next {
			t.Errorf("%+v: %+v, want %v", tt.o, v, tt.next)
		}
	}
	// never comes before the 409 rule.
	p := policy.Retry{Never: policy.StatusSet(409)}
	if v := retry.Judge(&p, retry.Observation{Status: 409, Keyed: true, Header: busy}); v.Do != retry.Final {
		t.Errorf("%+v", v)
	}
}

func TestJudgeShouldRetry(t *testing.T) {
	for value, next := range map[string]retry.Next{"false": retry.Stop, "False": retry.Stop, "true": retry.Retry, "": retry.Retry} {
		v := retry.Judge(&userFacing, retry.Observation{Status: 503, Header: header("X-Should-Retry", value)})
		if v.Do != next {
			t.Errorf("%q: %+v, want %v", value, v, next)
		}
	}
}

func TestJudgeRules(t *testing.T) {
	p := userFacing
	p.Rules = []policy.RetryRule{
		{Name: "again", Statuses: policy.StatusSet(403), Header: []policy.HeaderMatch{{Name: "X-RateLimit-Remaining", Glob: "0"}}, Do: policy.DoRetry, Wait: time.Minute, Refused: true},
		{Name: "code", Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"rate_*", "busy"}}}, Do: policy.DoRetry},
		{Name: "final", Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"rate_final", "insufficient_quota"}}}, Do: policy.DoStop},
		{Name: "done", Statuses: policy.StatusSet(404), Body: []policy.BodyMatch{{Pointer: "/gone", Any: []string{"true"}}}, Do: policy.DoSuccess},
		{Name: "eof", Errors: policy.EOFErrors, Do: policy.DoStop},
		{Name: "never matches"},
	}
	tests := []struct {
		name string
		o    retry.Observation
		want retry.Verdict
	}{
		{"a rule may retry 403", retry.Observation{Status: 403, Header: header("X-RateLimit-Remaining", "0")},
			retry.Verdict{Do: retry.Retry, Refused: true, Wait: time.Minute, Rule: "again"}},
		{"both conditions must hold", retry.Observation{Status: 403, Header: header("X-RateLimit-Remaining", "7")}, retry.Verdict{}},
		{"rules see 2xx too", retry.Observation{Status: 200, Body: body{"/error/code": `"rate_limit"`}}, retry.Verdict{Do: retry.Retry, Rule: "code"}},
		{"429 stays refused", retry.Observation{Status: 429, Body: body{"/error/code": `"busy"`}}, retry.Verdict{Do: retry.Retry, Refused: true, Rule: "code"}},
		{"stop before retry, whatever their order", retry.Observation{Status: 429, Body: body{"/error/code": `"rate_final"`}},
			retry.Verdict{Do: retry.Stop, Refused: true, Rule: "final"}},
		{"success of a 404", retry.Observation{Status: 404, Body: body{"/gone": "true"}}, retry.Verdict{Do: retry.Success, Rule: "done"}},
		{"no such member", retry.Observation{Status: 503, Body: body{}}, retry.Verdict{Do: retry.Retry}},
		{"an error's rule", retry.Observation{Class: retry.Class{Set: policy.EOFErrors}}, retry.Verdict{Do: retry.Stop, Rule: "eof"}},
		{"another error", retry.Observation{Class: retry.Class{Set: policy.ResetErrors}}, retry.Verdict{Do: retry.Retry}},
	}
	for _, tt := range tests {
		if got := retry.Judge(&p, tt.o); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"", "x", false}, {"a*c", "abbc", true}, {"a*c", "abcb", false}, {"a*c", "ac", true},
		{"*b*", "abc", true}, {"**a", "ba", true}, {"a*b*c", "axbxbyc", true}, {"a?c", "abc", false}, {"abc", "abc", true}, {"abc", "ab", false},
	} {
		if got := retry.Glob(tt.pattern, tt.text); got != tt.want {
			t.Errorf("Glob(%q, %q) = %v", tt.pattern, tt.text, got)
		}
	}
}

func TestHintOf(t *testing.T) {
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		h    http.Header
		want time.Duration
		ok   bool
	}{
		{"none", header(), 0, false},
		{"seconds", header("Retry-After", "3"), 3 * time.Second, true},
		{"zero", header("Retry-After", "0"), 0, true},
		{"fraction", header("Retry-After", "1.5"), 1500 * time.Millisecond, true},
		{"milliseconds are exact", header("Retry-After", "1", "Retry-After-Ms", "250"), 250 * time.Millisecond, true},
		{"sub-millisecond", header("Retry-After-Ms", "0.25"), 250 * time.Microsecond, true},
		{"IMF date", header("Retry-After", "Sun, 01 Jun 2025 12:00:07 GMT"), 7 * time.Second, true},
		{"RFC 850 date", header("Retry-After", "Sunday, 01-Jun-25 12:00:07 GMT"), 7 * time.Second, true},
		{"asctime date", header("Retry-After", "Sun Jun  1 12:00:07 2025"), 7 * time.Second, true},
		{"counted by the server's clock", header("Retry-After", "Sun, 01 Jun 2025 15:00:07 GMT", "Date", "Sun, 01 Jun 2025 15:00:00 GMT"), 7 * time.Second, true},
		{"past date", header("Retry-After", "Sun, 01 Jun 2025 11:59:59 GMT"), 0, false},
		{"negative", header("Retry-After", "-5"), 0, false},
		{"garbage", header("Retry-After", "soon"), 0, false},
		{"exponent", header("Retry-After", "1e3"), 0, false},
		{"infinite", header("Retry-After", "Inf"), 0, false},
		{"absurd", header("Retry-After", "99999999999999999999999"), 0, false},
		{"two years", header("Retry-After", "63072000"), 0, false},
		{"one hour is for the policy to judge", header("Retry-After", "3600"), time.Hour, true},
		{"RateLimit", header("RateLimit", `"default";r=0;t=30`), 30 * time.Second, true},
		{"RateLimit, the longest empty one", header("RateLimit", `"burst";r=0;t=5, "d,a;y";r=0;t=60, "month";r=9;t=9000`), time.Minute, true},
		{"RateLimit with something left", header("RateLimit", `"default";r=50;t=30`), 0, false},
		{"RateLimit gives way", header("RateLimit", `"default";r=0;t=30`, "Retry-After", "2"), 2 * time.Second, true},
		{"RateLimit malformed", header("RateLimit", `"default;r=0;t=30`), 0, false},
	}
	for _, tt := range tests {
		got, ok := retry.HintOf(&userFacing, retry.Observation{Status: 429, Header: tt.h}, now)
		if got != tt.want || ok != tt.ok {
			t.Errorf("%s: %v %v, want %v %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestHintsOfThePolicy(t *testing.T) {
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	hint := func(h policy.RetryHint) *policy.Retry { return &policy.Retry{Hints: []policy.RetryHint{h}} }
	whenEmpty := []policy.HeaderMatch{{Name: "X-Remaining", Glob: "0"}}
	tests := []struct {
		name string
		p    *policy.Retry
		o    retry.Observation
		want time.Duration
		ok   bool
	}{
		{"duration", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintDuration}), retry.Observation{Header: header("X-Reset", "6m0s")}, 6 * time.Minute, true},
		{"negative duration", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintDuration}), retry.Observation{Header: header("X-Reset", "-6m")}, 0, false},
		{"ms", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintMillis}), retry.Observation{Header: header("X-Reset", "40")}, 40 * time.Millisecond, true},
		{"epoch", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintEpoch}), retry.Observation{Header: header("X-Reset", "1748779205")}, 5 * time.Second, true},
		{"epoch in ms", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintEpoch}), retry.Observation{Header: header("X-Reset", "1748779205000")}, 5 * time.Second, true},
		{"epoch gone by", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintEpoch}), retry.Observation{Header: header("X-Reset", "1748779195")}, 0, false},
		{"date", hint(policy.RetryHint{Header: "X-Reset", As: policy.HintDate}), retry.Observation{Header: header("X-Reset", "2025-06-01T12:00:09Z")}, 9 * time.Second, true},
		{"body", hint(policy.RetryHint{Pointer: "/retry", As: policy.HintSeconds}), retry.Observation{Header: header(), Body: body{"/retry": "2.5"}}, 2500 * time.Millisecond, true},
		{"body string", hint(policy.RetryHint{Pointer: "/retry"}), retry.Observation{Header: header(), Body: body{"/retry": `"4"`}}, 4 * time.Second, true},
		{"when holds", hint(policy.RetryHint{Header: "X-Reset", When: whenEmpty}), retry.Observation{Header: header("X-Reset", "8", "X-Remaining", "0")}, 8 * time.Second, true},
		{"when does not", hint(policy.RetryHint{Header: "X-Reset", When: whenEmpty}), retry.Observation{Header: header("X-Reset", "8", "X-Remaining", "3")}, 0, false},
		{"the longer of two", hint(policy.RetryHint{Header: "X-Reset"}), retry.Observation{Header: header("X-Reset", "8", "Retry-After", "3")}, 8 * time.Second, true},
	}
	for _, tt := range tests {
		got, ok := retry.HintOf(tt.p, tt.o, now)
		if got != tt.want || ok != tt.ok {
			t.Errorf("%s: %v %v, want %v %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzHintOf(f *testing.F) {
	f.Add("3", `"a";r=0;t=1`, "6m0s")
	f.Add("", `"a";r=3;t=1, "b";r=0;t=9`, "") // only where there is no other hint
	p := &policy.Retry{Hints: []policy.RetryHint{
		{Header: "X", As: policy.HintDuration}, {Header: "X", As: policy.HintEpoch}, {Header: "X", As: policy.HintDate}, {Header: "X", As: policy.HintMillis},
	}}
	f.Fuzz(func(t *testing.T, after, limit, custom string) {
		h := http.Header{"Retry-After": {after}, "Ratelimit": {limit}, "X": {custom}}
		if d, ok := retry.HintOf(p, retry.Observation{Header: h}, time.Unix(1e9, 0)); d < 0 || d > 366*24*time.Hour || !ok && d != 0 {
			t.Fatalf("%v %v", d, ok)
		}
	})
}
