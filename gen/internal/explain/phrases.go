package explain

import (
	"fmt"
	"strconv"
	"strings"
)

// headline is the worst case of a policy in one phrase: "over after 20.5s at most,
// 2 tries".
func (w *WorstCase) headline() string {
	var b strings.Builder
	switch {
	case w.LimitMs == nil:
		b.WriteString("nothing bounds the call")
	case w.LimitIsSum:
		fmt.Fprintf(&b, "over after %s at most (the sum of its parts, there is no total)", spanMs(*w.LimitMs))
	default:
		fmt.Fprintf(&b, "over after %s at most", spanMs(*w.LimitMs))
	}
	if w.HangingMs == nil {
		b.WriteString("; a try that hangs never ends")
		return b.String()
	}
	n := len(w.Timeline.Attempts)
	fmt.Fprintf(&b, "; hanging: %s, over after %s", count(n, "try", "tries"), spanMs(*w.HangingMs))
	return b.String()
}

// tries are the tries of a call that hangs: "0s–10s, 10.5s–20.5s".
func (w *WorstCase) tries() string {
	var parts []string
	for _, a := range w.Timeline.Attempts {
		if a.EndMs == nil {
			parts = append(parts, spanMs(a.StartMs)+"–…")
			continue
		}
		parts = append(parts, spanMs(a.StartMs)+"–"+spanMs(*a.EndMs))
	}
	return strings.Join(parts, ", ")
}

// load is what a call sends when everything fails.
func (w *WorstCase) load() string {
	l := &w.Load
	text := count(l.Requests, "request", "requests") + " a call"
	if l.Requests > 1 {
		text = "up to " + text
	}
	if l.Tries > 1 {
		text += " (when it answers " + failureWord(l.By) + ")"
	}
	if l.Hedges > 0 {
		text += fmt.Sprintf(", %s beside each try", count(l.Hedges, "hedge", "hedges"))
	}
	if l.RungRequests > 0 {
		text += ", " + count(l.RungRequests, "more", "more") + " to the fallback's rungs"
	}
	if l.Budget == nil || l.Requests < 2 {
		return text
	}
	var parts []string
	for _, f := range l.Budget.Factors {
		if f.CallsPerSecond > 0 {
			parts = append(parts, fmt.Sprintf("%s at %s calls/s", number(f.RequestsPer), number(f.CallsPerSecond)))
		}
	}
	return text + "; with the budget " + strings.Join(parts, ", ")
}

// failureWord is a failure as people say it.
func failureWord(name string) string {
	switch name {
	case "timeout":
		return "nothing"
	case "reset", "eof":
		return "with a broken connection"
	}
	return name
}

// words are the breaker in one phrase.
func (b *Breaker) words() string {
	if b.OpensAfter == 0 {
		return "never opens"
	}
	text := "opens after " + count(b.OpensAfter, "failed call", "failed calls")
	if b.WithinMs > 0 {
		text += " within " + spanMs(b.WithinMs)
	}
	text += fmt.Sprintf(", refuses for %s to %s", spanMs(b.OpenMinMs), spanMs(b.OpenMaxMs))
	if b.LongestOpenMs > b.OpenMaxMs {
		text += ", in the end up to " + spanMs(b.LongestOpenMs)
	}
	text += ", then " + count(b.Probes, "probe", "probes")
	if b.Shadow {
		text += " (shadow: it only reports)"
	}
	return text
}

// owner says whose breaker it is.
func (b *Breaker) owner(dependency string) string {
	switch b.Scope {
	case "dependency":
		return "one for " + dependency
	case "operation":
		return "the operation's own"
	case "host":
		return "one for each host"
	}
	return "one for each " + b.Scope
}

// rungs are the fallback in one phrase.
func (w *WorstCase) rungs() string {
	var parts []string
	for _, r := range w.Rungs {
		text := strings.TrimSpace(r.Kind + " " + r.Name)
		switch {
		case r.Skipped:
			text += " (left out)"
		case r.EndMs > r.StartMs:
			text += " until " + spanMs(r.EndMs)
		default:
			text += " at once"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", then ")
}

// number is a number without needless digits.
func number(f float64) string { return strconv.FormatFloat(round(f, 100), 'f', -1, 64) }
