package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var retryChecks = []func(*view){
	safetyAlways, cannotAct, clientErrors, clientErrorRules, conflict, tooEarly,
	waits, attempts, budgetOff, retryAfter, hedgedTries,
}

func safetyAlways(v *view) {
	r := v.v.Client.Retry
	if r == nil || r.Safety != policy.SafetyAlways || v.repeatable() {
		return
	}
	g := v.found(catalog.RetrySafetyAlways, v.at(client, "retry.safety"),
		"retry.safety always repeats a write that has no idempotency key: its effect may come twice")
	v.mend(g, client, "retry.safety", "effect")
}

func cannotAct(v *view) {
	if v.tries() < 2 || !v.written(client, "retry.maxAttempts") {
		return
	}
	at := v.at(client, "retry.maxAttempts")
	switch {
	case !v.repeatable() && v.v.Client.Retry.Safety != policy.SafetyAlways:
		v.found("retry-cannot-act", at, fmt.Sprintf("a write without a key gets one try, not %d", v.tries()))
	case streamsUp(v.op):
		v.found("retry-cannot-act", at, fmt.Sprintf("a streamed body cannot be sent again: there is one try, not %d", v.tries()))
	}
}

// streamsUp reports whether the request can only be a stream of items.
func streamsUp(op *ir.Operation) bool {
	if op.Body == nil {
		return false
	}
	for _, c := range op.Body.Contents {
		if c.Kind != ir.ContentLines && c.Kind != ir.ContentEvents {
			return false
		}
	}
	return true
}

// atFault are statuses that say that the request itself is at fault: the same request
// gets the same answer. 408, 409, 421, 423, 425 and 429 do not.
var atFault = policy.StatusSet(422, 424, 426, 428, 431, 451).Range(400, 407).Range(410, 417)

// repeats reports whether a plain response of the status is retried.
func repeats(r *policy.Retry, status int) bool {
	return r.Statuses.Has(status) && !r.Never.Has(status) && !policy.AlwaysNever().Has(status)
}

func clientErrors(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 || !v.written(client, "retry.statuses") {
		return
	}
	var bad []string
	for status := 400; status < 500; status++ {
		if atFault.Has(status) && repeats(r, status) {
			bad = append(bad, strconv.Itoa(status))
		}
	}
	if len(bad) == 0 {
		return
	}
	shown := strings.Join(bad[:min(len(bad), 5)], ", ")
	if len(bad) > 5 {
		shown += " …"
	}
	g := v.found("retry-client-error", v.at(client, "retry.statuses"), "retry.statuses has answers to a faulty request: "+shown)
	v.mend(g, client, "retry.statuses", statusList(r.Statuses, atFault))
}

// statusList is a set as the language writes it, without those that are taken out.
func statusList(s, without policy.Statuses) []string {
	var out policy.Statuses
	for status := 100; status < 600; status++ {
		if s.Has(status) && !without.Has(status) {
			out = out.Range(status, status)
		}
	}
	if out.IsZero() {
		return []string{}
	}
	return strings.Split(out.String(), ", ")
}

func clientErrorRules(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 {
		return
	}
	for _, rule := range r.Rules {
		if rule.Do != policy.DoRetry || len(rule.Header) > 0 || len(rule.Body) > 0 {
			continue
		}
		for status := 400; status < 500; status++ {
			if !rule.Statuses.Has(status) || !atFault.Has(status) {
				continue
			}
			path := "retry.rules." + rule.Name
			g := v.found("retry-client-error", v.at(client, path+".status", path+".do"),
				fmt.Sprintf("retry.rules.%s retries every %d, which says that the request is at fault", rule.Name, status))
			v.mend(g, client, "retry.rules."+whole(rule.Name), false)
			break
		}
	}
}

func conflict(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 || v.v.Client.Idempotency != nil || !repeats(r, 409) {
		return
	}
	g := v.found("retry-conflict", v.at(client, "retry.statuses"), "409 is retried without an idempotency key")
	v.mend(g, client, "retry.statuses", statusList(r.Statuses, policy.StatusSet(409)))
}

func tooEarly(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 || repeats(r, 425) || !v.written(client, "retry.statuses") && !v.written(client, "retry.never") {
		return
	}
	path := "retry.statuses"
	if r.Never.Has(425) {
		path = "retry.never"
	}
	g := v.found("retry-too-early", v.at(client, path), "425 Too Early is not retried")
	v.mend(g, client, "retry.statuses", statusList(r.Statuses.Range(425, 425), policy.Statuses{}))
	if r.Never.Has(425) {
		v.mend(g, client, "retry.never", statusList(r.Never, policy.StatusSet(425)))
	}
}

func waits(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 {
		return
	}
	if r.Jitter == policy.JitterNone {
		g := v.found("retry-jitter-none", v.at(client, "retry.jitter"), "retry.jitter is none")
		v.mend(g, client, "retry.jitter", "full")
	}
	if r.BaseDelay == 0 {
		g := v.found("retry-no-delay", v.at(client, "retry.baseDelay"), "retry.baseDelay is 0s: tries follow each other at once")
		v.mend(g, client, "retry.baseDelay", "500ms")
	}
}

// mostAttempts is from where on more tries only add load.
const mostAttempts = 5

func attempts(v *view) {
	if n := v.tries(); n > mostAttempts {
		g := v.found("retry-attempts", v.at(client, "retry.maxAttempts"), fmt.Sprintf("%d attempts", n))
		v.mend(g, client, "retry.maxAttempts", mostAttempts)
	}
}

func budgetOff(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 || r.Budget != nil {
		return
	}
	g := v.found("retry-budget-off", v.at(client, "retry.budget"), "retry.budget is off")
	v.mend(g, client, "retry.budget", true)
}

func retryAfter(v *view) {
	r := v.v.Client.Retry
	if v.tries() < 2 {
		return
	}
	if r.MaxRetryAfter < time.Second {
		g := v.found("retry-after-ignored", v.at(client, "retry.maxRetryAfter"),
			fmt.Sprintf("retry.maxRetryAfter %s is shorter than any Retry-After in seconds", spanText(r.MaxRetryAfter)))
		v.mend(g, client, "retry.maxRetryAfter", "60s")
	}
	for _, status := range hintedStatuses(v.op) {
		if repeats(r, status) || slices.ContainsFunc(r.Rules, func(x policy.RetryRule) bool { return x.Statuses.Has(status) }) {
			continue
		}
		path := "retry.statuses"
		if r.Never.Has(status) {
			path = "retry.never"
		}
		g := v.found("retry-after-ignored", v.at(client, path), fmt.Sprintf("%d comes with Retry-After and is not retried", status))
		v.mendHere(g, client, "retry.statuses", statusList(r.Statuses.Range(status, status), policy.Statuses{}))
		if r.Never.Has(status) {
			v.mendHere(g, client, "retry.never", statusList(r.Never, policy.StatusSet(status)))
		}
	}
}

// hintedStatuses are 429 and 503 where the document has them with Retry-After.
func hintedStatuses(op *ir.Operation) []int {
	var out []int
	for _, r := range op.Responses {
		if r.Status != "429" && r.Status != "503" {
			continue
		}
		if slices.ContainsFunc(r.Headers, func(h *ir.Param) bool { return strings.EqualFold(h.Name, "Retry-After") }) {
			status, _ := strconv.Atoi(r.Status)
			out = append(out, status)
		}
	}
	return out
}

func hedgedTries(v *view) {
	h := v.v.Client.Hedge
	if h == nil || h.Mode == policy.Shadow {
		return
	}
	if n := v.tries() * (1 + max(h.Max, 1)); n > mostAttempts {
		at, _ := v.within(client, "hedge")
		hedges := "1 hedge"
		if h.Max > 1 {
			hedges = fmt.Sprintf("%d hedges", h.Max)
		}
		v.found("retry-multiplied", at, fmt.Sprintf("%d tries with %s each are %d requests for one call", v.tries(), hedges, n))
	}
}
