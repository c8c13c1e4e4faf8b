package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/worstcase"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// rates are the calls a second at which the effect of a budget is shown: a quiet
// client, a busy one, a very busy one.
var rates = []float64{10, 100, 1000}

// worstOf puts the numbers of a policy together.
func worstOf(c *policy.Client, s *policy.Server) *WorstCase {
	keyed := worstcase.Keyed(c)
	bound := worstcase.BoundOf(c, keyed)
	line := worstcase.Play(c, keyed, worstcase.Hang, worstcase.Longest)
	load := worstcase.LoadOf(c)
	w := &WorstCase{
		LimitMs: bounded(bound.Limit), LimitIsSum: bound.Sum, NoLimit: bound.Why, HangingMs: bounded(bound.Hanging),
		Timeline: timelineOf(line), Load: loadOf(load),
	}
	for _, r := range worstcase.Rungs(c, line) {
		w.Rungs = append(w.Rungs, Rung{Kind: r.Kind.String(), Name: r.Name, StartMs: millis(r.Start), EndMs: millis(r.End), Skipped: r.Skipped})
	}
	if b := worstcase.BreakerOf(c); b != nil {
		w.Breaker = &Breaker{
			OpensAfter: b.Opens, WithinMs: millis(b.Within), OpenMinMs: millis(b.OpenMin), OpenMaxMs: millis(b.OpenMax),
			LongestOpenMs: millis(b.LongestOpen), Probes: b.Probes, Scope: scopeOf(c.Breaker), BlindToHangs: b.BlindToHangs, Shadow: b.Shadow,
		}
	}
	if t := s.Timeout; t != nil && t.Mode == policy.Enforce && t.Handler > 0 {
		w.ServerMs = bounded(t.Handler)
	}
	w.Notes = notesOf(c, s, line, load, w)
	return w
}

// scopeOf is whose breaker it is.
func scopeOf(b *policy.Breaker) string {
	if len(b.Key) == 0 {
		return b.Scope.String()
	}
	var parts []string
	for _, e := range b.Key {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, ", ")
}

func timelineOf(line worstcase.Timeline) Timeline {
	t := Timeline{Attempts: []Attempt{}, Stop: line.Stop.String()}
	for _, a := range line.Attempts {
		out := Attempt{Number: a.Number, WaitMs: millis(a.Wait), StartMs: millis(a.Start), EndsBy: a.Cut.String()}
		if a.Cut != worstcase.CutNever {
			out.EndMs = bounded(a.End)
		}
		if a.Granted > 0 {
			out.GrantedMs = bounded(a.Granted)
		}
		t.Attempts = append(t.Attempts, out)
	}
	if line.Stop != worstcase.StopNever {
		t.EndMs = bounded(line.End)
	}
	return t
}

func loadOf(l worstcase.Load) Load {
	out := Load{
		Tries: l.Tries, By: l.By.Name, TriesWithoutKey: l.Unkeyed, Hedges: l.Hedges, Requests: l.Requests, RungRequests: l.Rungs,
	}
	if l.Ratio < 0 {
		return out
	}
	out.Budget = &Budget{Ratio: l.Ratio, MinPerSecond: l.Floor}
	for _, r := range rates {
		out.Budget.Factors = append(out.Budget.Factors, Factor{r, round(l.Factor(r), 1e6)})
	}
	out.Budget.Factors = append(out.Budget.Factors, Factor{0, round(l.Factor(math.Inf(1)), 1e6)})
	return out
}

// notesOf are sentences about what the numbers alone do not show.
func notesOf(c *policy.Client, s *policy.Server, line worstcase.Timeline, load worstcase.Load, w *WorstCase) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if line.Stop == worstcase.StopNoAttempt {
		note("No call is made at all: the time of a try is less than its floor and the deadline's reserve.")
	}
	if w.LimitMs == nil && w.NoLimit != "" {
		note("Nothing bounds the whole call: %s.", w.NoLimit)
	}
	if t := c.Timeout; t != nil && w.LimitMs != nil && !w.LimitIsSum && t.Attempt > 0 && millis(t.Attempt) > *w.LimitMs {
		note("A try may take %s and the whole call %s: no try ever has its time.", span(t.Attempt), spanMs(*w.LimitMs))
	}
	r := c.Retry
	if r != nil && r.MaxAttempts > 1 && r.Mode == policy.Enforce {
		repeats(c, line, load, note)
	}
	if load.Unkeyed > 0 {
		note("A call without an idempotency key gets %s.", count(load.Unkeyed, "try", "tries"))
	}
	if w.Breaker != nil && w.Breaker.BlindToHangs {
		note("The breaker learns nothing from calls that hang: the last try of each is cut too short to prove anything.")
	}
	if w.Breaker != nil && w.Breaker.OpensAfter == 0 {
		note("The breaker never opens: its window holds fewer calls than it waits for.")
	}
	if f := c.Fallback; f != nil && line.Stop != worstcase.StopNever {
		for _, rung := range w.Rungs {
			if rung.Skipped {
				note("The fallback's rung %s is left out after a try that may have taken effect.", strings.TrimSpace(rung.Kind+" "+rung.Name))
			}
		}
	}
	outlives(c, s, note)
	return notes
}

// repeats tells what becomes of the retries that a policy has.
func repeats(c *policy.Client, line worstcase.Timeline, load worstcase.Load, note func(string, ...any)) {
	tries := len(line.Attempts)
	switch line.Stop {
	case worstcase.StopEffect:
		text := "A write without an idempotency key is sent once"
		if load.Tries > tries {
			text += ", unless it was refused before any work (429) or never left"
		}
		note("%s.", text)
	case worstcase.StopDeadline:
		note("When the dependency hangs there is time for %d of the %d tries.", tries, c.Retry.MaxAttempts)
	case worstcase.StopFinal:
		note("A timeout is not among the failures that are repeated.")
	case worstcase.StopAttempts, worstcase.StopOff, worstcase.StopNever, worstcase.StopNoAttempt:
	}
}

// outlives notes a server that goes on working when its client has left. A deadline
// that is sent and honoured ends that.
func outlives(c *policy.Client, s *policy.Server, note func(string, ...any)) {
	if s.Timeout == nil || s.Timeout.Mode == policy.Shadow || c.Timeout == nil || c.Timeout.Mode == policy.Shadow || c.Timeout.Attempt <= 0 {
		return
	}
	sent := c.Deadline != nil && c.Deadline.Propagate && c.Deadline.Mode == policy.Enforce
	if sent && s.Deadline != nil && s.Deadline.Trust && s.Deadline.Mode == policy.Enforce {
		return
	}
	if s.Timeout.Handler > c.Timeout.Attempt {
		note("The server works for up to %s on a request that its client gives up after %s.", span(s.Timeout.Handler), span(c.Timeout.Attempt))
	}
}

// millis is a duration in milliseconds, to the microsecond: jitter ends a
// nanosecond below its bound, which is of no interest to anybody.
func millis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)/time.Microsecond) / 1000
}

// bounded is millis, nil for no bound.
func bounded(d time.Duration) *float64 {
	if d < 0 {
		return nil
	}
	ms := millis(d)
	return &ms
}

func round(f, scale float64) float64 { return math.Round(f*scale) / scale }

// span is a duration as the language writes it: 20.5s, 250ms, 1m30s, 2h.
func span(d time.Duration) string {
	text := d.Round(time.Microsecond).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// spanMs is a time of a report as text.
func spanMs(ms float64) string {
	if ms > math.MaxInt64/float64(time.Millisecond) {
		return span(math.MaxInt64)
	}
	return span(time.Duration(ms * float64(time.Millisecond)))
}

// spanOf is a bound of a report as text.
func spanOf(ms *float64) string {
	if ms == nil {
		return "no bound"
	}
	return spanMs(*ms)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands is a number with its digits in groups: 1,223.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
