package cache

import (
	"net/http"
	"strings"
	"time"
)

const (
	// heuristicPart is the part of the time since the last change that a response
	// without freshness of its own is taken to be fresh, as RFC 9111 section 4.2.2
	// suggests; heuristicMax bounds it.
	heuristicPart = 10
	heuristicMax  = 24 * time.Hour
)

// one is the value of a field that may stand once; empty where it is not there or
// stands more often with different values, for none of them can be trusted then.
func one(h http.Header, name string) string {
	lines := h[name]
	if len(lines) == 0 {
		return ""
	}
	for _, other := range lines[1:] {
		if other != lines[0] {
			return ""
		}
	}
	return lines[0]
}

// parseDate reads the three forms of a date (RFC 9110 section 5.6.7), in which the case
// of letters counts and the zone is GMT.
func parseDate(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	for _, layout := range [...]string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		at, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if layout[0] == 'M' && strings.Contains(layout, "-06") && at.After(time.Now().AddDate(50, 0, 0)) {
			at = at.AddDate(-100, 0, 0) // two digits of a year are of the past then
		}
		return at, true
	}
	return time.Time{}, false
}

// parseAge reads an Age field. Of several values the first counts; one that is no number
// is taken for nothing, one that is negative as well.
func parseAge(lines []string) time.Duration {
	if len(lines) == 0 {
		return 0
	}
	first, _, _ := strings.Cut(lines[0], ",")
	d, _ := parseDelta(strings.Trim(first, " \t"))
	return d
}

// initialAge is corrected_initial_age of RFC 9111 section 4.2.3.
func initialAge(e *Entry) time.Duration {
	apparent := max(0, e.Received.Sub(e.date))
	corrected := parseAge(e.Header["Age"]) + max(0, e.Received.Sub(e.Requested))
	return max(apparent, corrected)
}

// age is current_age.
func (e *Entry) age(now time.Time) time.Duration {
	return e.initial + max(0, now.Sub(e.Received))
}

// lifetime is freshness_lifetime. It is explicit where the response tells it, be it
// in a way that cannot be read, which counts as zero.
func (e *Entry) lifetime(r *Rules, shared bool) (d time.Duration, explicit bool) {
	c := &e.control
	switch {
	case shared && c.SharedMaxAge.Set:
		return c.SharedMaxAge.For, true
	case c.MaxAge.Set:
		return c.MaxAge.For, true
	}
	if lines := e.Header["Expires"]; len(lines) > 0 && !e.targeted {
		at, ok := parseDate(one(e.Header, "Expires"))
		if !ok {
			return 0, true
		}
		return max(0, at.Sub(e.date)), true
	}
	switch {
	case r.DefaultAge >= 0 && defaultStatus(e.Status):
		return r.DefaultAge, false
	case r.DefaultAge >= 0 || !heuristicStatus(e.Status) && !c.Public:
		return 0, false
	}
	changed, ok := parseDate(one(e.Header, "Last-Modified"))
	if !ok {
		return 0, false
	}
	return min(max(0, e.date.Sub(changed)/heuristicPart), heuristicMax), false
}

// defaultStatus are the statuses whose responses get the freshness of the rules. An
// error is not among them: that something is missing says little about the next minute.
func defaultStatus(status int) bool {
	switch status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo, http.StatusNoContent, http.StatusMovedPermanently, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// heuristicStatus are the statuses of RFC 9110 section 15.1 whose responses may be taken
// to be fresh.
func heuristicStatus(status int) bool {
	switch status {
	case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501:
		return true
	}
	return false
}

// mustRevalidate reports whether the entry may not be served when it is stale, whatever
// else allows it.
func (e *Entry) mustRevalidate(shared bool) bool {
	c := &e.control
	return c.MustRevalidate || c.NoCache || shared && (c.ProxyRevalidate || c.SharedMaxAge.Set)
}

// validators are what a response can be asked about again by.
func (e *Entry) validators() (etag, modified string) {
	return one(e.Header, "Etag"), one(e.Header, "Last-Modified")
}

// grace is how long past its freshness the entry may be served, for the directive of
// the response, else of the rules.
func grace(own Delta, rules time.Duration) time.Duration {
	if own.Set {
		return own.For
	}
	return max(0, rules)
}

// verdict is what an entry is good for.
type verdict uint8

const (
	useless    verdict = iota // ask the origin
	fresh                     // serve it
	staleServe                // serve it, the request allows it
	staleRenew                // serve it and refresh it
)

// judge says what an entry is good for, for a request with these directives.
func (e *Entry) judge(now time.Time, req *Control, r *Rules, shared bool) verdict {
	life, _ := e.lifetime(r, shared)
	age := e.age(now)
	left := life - age
	c := &e.control
	if req.NoCache || c.NoCache {
		return useless
	}
	if left > 0 {
		switch {
		case c.Immutable && req.MaxAge.Set && req.MaxAge.For == 0:
			return fresh // RFC 8246: the request of a reload
		case req.MaxAge.Set && age > req.MaxAge.For:
			return useless
		case req.MinFresh.Set && left < req.MinFresh.For:
			return useless
		}
		return fresh
	}
	if e.mustRevalidate(shared) || req.MinFresh.Set {
		return useless
	}
	if req.MaxStale.Set && req.MaxStale.Valid && -left <= req.MaxStale.For && (!req.MaxAge.Set || age <= req.MaxAge.For) {
		return staleServe
	}
	if renew := grace(c.StaleWhileRevalidate, r.StaleWhileRevalidate); renew > 0 && -left <= renew && !req.MaxAge.Set {
		return staleRenew
	}
	return useless
}

// servesError reports whether a stale entry may answer where the origin cannot.
func (e *Entry) servesError(now time.Time, req *Control, r *Rules, shared bool) bool {
	if e.mustRevalidate(shared) || req.NoCache {
		return false
	}
	own := e.control.StaleIfError
	if !own.Set {
		own = req.StaleIfError
	}
	allowed := grace(own, r.StaleIfError)
	life, _ := e.lifetime(r, shared)
	return allowed > 0 && e.age(now)-life <= allowed
}
