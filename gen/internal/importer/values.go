package importer

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// longest bounds durations: what is longer is a mistake in every format.
const longest = 30 * 24 * time.Hour

// number reads a finite number that is not negative.
func (w *work) number(n *load.Node) (float64, bool) {
	if n == nil {
		return 0, false
	}
	text, ok := n.Num()
	f, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil || f < 0 || math.IsInf(f, 0) {
		w.wrong(n, "a number, not negative")
		return 0, false
	}
	return f, true
}

// inUnits reads a number of units of time.
func (w *work) inUnits(n *load.Node, unit time.Duration) (time.Duration, bool) {
	f, ok := w.number(n)
	if !ok {
		return 0, false
	}
	if f *= float64(unit); f > float64(longest) {
		w.wrong(n, "a time of at most 30 days")
		return 0, false
	}
	return time.Duration(math.Round(f/float64(time.Microsecond))) * time.Microsecond, true
}

// flag reads a boolean; without one it is what is given.
func (w *work) flag(n *load.Node, without bool) bool {
	if n == nil {
		return without
	}
	v, ok := n.Bool()
	if !ok {
		w.wrong(n, "true or false")
		return without
	}
	return v
}

// tries is the number of tries in a policy: 1 to 10.
func (w *work) tries(a *action, n *load.Node, f float64) int {
	switch {
	case f < 1:
		return 1
	case f > 10:
		w.losef(a, n, "%s tries are more than the ten that a call may have: 10", strconv.FormatFloat(f, 'g', -1, 64))
		return 10
	}
	return int(f)
}

// alwaysNever and never are the statuses that retry.statuses cannot name: the
// former never, the latter as long as nobody writes retry.never. A rule can.
var (
	alwaysNever = []int{400, 401, 403, 404, 422}
	never       = []int{405, 406, 410, 411, 412, 413, 414, 415, 428, 431, 501, 505}
)

// statuses puts retryable statuses, numbers or ranges such as 5XX, into a retry
// object. Those that statuses does not take become a rule, which comes before all
// else.
func (w *work) statuses(retry *object, list []*load.Node) {
	listed, ruled := []any{}, []any{}
	for _, n := range list {
		text, _ := n.Written()
		text = strings.ToLower(strings.TrimSpace(text))
		status, err := strconv.Atoi(text)
		switch {
		case len(text) == 3 && text[0] >= '1' && text[0] <= '5' && text[1:] == "xx":
			listed = append(listed, text)
		case err != nil || status < 100 || status > 599:
			w.wrong(n, "a status from 100 to 599, or a range such as 5XX")
		case needsRule(status):
			ruled = append(ruled, status)
		default:
			listed = append(listed, status)
		}
	}
	retry.set("statuses", unique(listed))
	switch {
	case len(ruled) > 0:
		w.ruled = true
		retry.set("rules", object{{"imported", object{{"status", unique(ruled)}, {"do", "retry"}}}})
	case w.ruled:
		// Policies add up, and settings there do not: that of a weaker level goes.
		retry.set("rules", object{{"imported", false}})
	}
}

// needsRule reports whether a status is retried only by a rule. 409 has one of the
// language's own, that looks for a sign that the same request is still at work.
func needsRule(status int) bool {
	return slices.Contains(alwaysNever, status) || slices.Contains(never, status) || status == 409
}

func unique(list []any) []any {
	out := []any{}
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// doubles is what a policy's backoff multiplies by.
const doubles = 2

// backoff reports a factor other than two.
func (w *work) backoff(a *action, n *load.Node) {
	if f, ok := w.number(n); ok && f != doubles {
		w.losef(a, n, "waits double from try to try, with full jitter; a factor of %s has no equivalent", strconv.FormatFloat(f, 'g', -1, 64))
	}
}

// delays sets the waits of a retry object; maxDelay may not be under baseDelay.
func delays(retry *object, base, most time.Duration) {
	retry.set("baseDelay", base)
	retry.set("maxDelay", max(base, most, time.Millisecond))
}
