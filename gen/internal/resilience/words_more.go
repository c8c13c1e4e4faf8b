package resilience

import (
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// clientWords say what else a client does.
func clientWords(c *policy.Client) []string {
	var out []string
	if h := c.Hedge; h != nil {
		at := shortSpan(h.Delay)
		if h.Quantile > 0 {
			at = "the time that " + percent(h.Quantile) + " of calls stay under"
		}
		out = append(out, "sent again, up to "+plural(max(1, h.Max), "time")+" more, when there is no answer after "+at+shadowed(h.Mode))
	}
	if text := cacheWords(c.Cache); text != "" {
		out = append(out, text)
	}
	if k := c.Concurrency; k != nil && k.IfMatch == policy.IfMatchRequired {
		out = append(out, "only with the version that was read"+shadowed(k.Mode))
	}
	if f := c.Fallback; f != nil {
		var rungs []string
		for i := range f.Rungs {
			rungs = append(rungs, rungWords(&f.Rungs[i]))
		}
		out = append(out, "after a failure "+strings.Join(rungs, ", then ")+shadowed(f.Mode))
	}
	return out
}

// percent writes a part as percent: 95 %.
func percent(part float64) string {
	return strconv.FormatFloat(part*100, 'f', -1, 64) + " %"
}

func cacheWords(k *policy.Cache) string {
	switch {
	case k == nil:
		return ""
	case k.Scope == policy.CacheNoStore && len(k.Invalidates) == 0:
		return "answers are not kept" + shadowed(k.Mode)
	case k.Scope == policy.CacheNoStore:
		names := make([]string, len(k.Invalidates))
		for i := range k.Invalidates {
			names[i] = k.Invalidates[i].Operation
		}
		return "outdates kept answers of " + several(names) + shadowed(k.Mode)
	case k.MaxAge == 0:
		return "answers are kept and asked about each time" + shadowed(k.Mode)
	}
	text := "answers are kept for " + shortSpan(k.MaxAge)
	if k.StaleWhileRevalidate > 0 {
		text += ", and " + shortSpan(k.StaleWhileRevalidate) + " longer while a new one is fetched"
	}
	return text + shadowed(k.Mode)
}

func rungWords(r *policy.Rung) string {
	switch r.Kind {
	case policy.RungServer:
		return "the server " + strconv.Quote(r.Name)
	case policy.RungOperation:
		return "the operation " + r.Name
	case policy.RungCache:
		text := "a kept answer"
		if r.MaxStale > 0 {
			text += " up to " + shortSpan(r.MaxStale) + " past its time"
		}
		return text
	case policy.RungSemanticCache:
		return "the answer to a similar request"
	case policy.RungHandler:
		return "the handler " + strconv.Quote(r.Name)
	case policy.RungStatic:
		return "a fixed answer"
	case policy.RungQueue:
		return "the queue " + strconv.Quote(r.Name) + " for later"
	}
	return "an empty result"
}

// stateWords say what a server does with state that is shared.
func stateWords(s *policy.Server) []string {
	var out []string
	if l := s.Lock; l != nil {
		names := make([]string, len(l.Keys))
		for i, k := range l.Keys {
			names[i] = strconv.Quote(k.String())
		}
		text := "one request at a time for each " + and(names)
		if l.Wait > 0 {
			text += ", others wait up to " + shortSpan(l.Wait)
		}
		out = append(out, text+shadowed(l.Mode))
	}
	if k := s.Concurrency; k != nil {
		if k.IfMatch == policy.IfMatchRequired {
			out = append(out, "428 without If-Match"+shadowed(k.Mode))
		}
	}
	if s.Shed != nil {
		out = append(out, "may be refused under load"+shadowed(s.Shed.Mode))
	}
	return out
}
