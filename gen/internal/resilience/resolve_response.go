package resilience

import (
	"strings"
)

// responseHeader says why no success of an operation has a header. The version that
// concurrency is about is there as soon as that is on.
func (o *operation) responseHeader(name string) string {
	var have []string
	for _, r := range successes(o.op) {
		for _, h := range r.Headers {
			if strings.EqualFold(h.Name, name) {
				return ""
			}
			have = append(have, h.Name)
		}
	}
	for _, slots := range []map[string]*slot{o.client, o.server} {
		if s := slots["concurrency"]; s != nil && s.on && strings.EqualFold(name, "ETag") {
			return ""
		}
	}
	return missing("no successful response has the header "+shown(name), name, have)
}

// responseBody says why no success of an operation has anything at a pointer.
func (o *operation) responseBody(pointer string, u use) string {
	reason := "no successful response has a body"
	for _, r := range successes(o.op) {
		if len(r.Contents) == 0 {
			continue
		}
		if reason = inContents(r.Contents, pointer, u); reason == "" {
			return ""
		}
	}
	return reason
}
