package cache

import (
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/sfv"
)

// controlOf are the directives for this cache in a response, and whether they are those
// of a targeted field: the first of the list that is there, can be read and is not empty
// takes the place of Cache-Control and Expires (RFC 9213 section 2.2).
func controlOf(h http.Header, targets []string) (c Control, targeted bool) {
	for _, name := range targets {
		if lines := h[name]; len(lines) > 0 {
			if c, ok := targetedControl(lines); ok {
				return c, true
			}
		}
	}
	return ParseControl(h["Cache-Control"]), false
}

// targetedControl reads a targeted field, which is a dictionary of structured fields; ok
// is false for one that is empty or broken anywhere. It bounds the directives as
// [ParseControl] does.
func targetedControl(lines []string) (c Control, ok bool) {
	members, err := sfv.Dictionary(lines)
	if err != nil || len(members) == 0 {
		return Control{}, false
	}
	if len(members) > maxDirectives {
		return Control{NoStore: true, present: true}, true
	}
	c.present = true
	for _, m := range members {
		c.setTargeted(m.Key, m.Value)
	}
	return c, true
}

// setTargeted takes one member of a targeted field. A value of another type than the
// directive's is not used (RFC 9213 section 2.1): it makes a number invalid, which counts
// as zero, and gives no permission; what forbids something forbids it all the same,
// except where the member says that it is false.
func (c *Control) setTargeted(name string, v sfv.Value) {
	if d := c.delta(name); d != nil {
		// The parser keeps the last of two equal members, so that each comes once.
		*d = Delta{Set: true, Valid: v.Kind == sfv.Integer && v.Number >= 0}
		if d.Valid {
			d.For = time.Duration(min(v.Number, maxDelta)) * time.Second
		}
		return
	}
	if v.Kind == sfv.Boolean && !v.True() {
		return
	}
	switch name {
	case "public", "immutable", "must-understand":
		if !v.True() {
			return
		}
	}
	c.set(name, v.Text, v.Kind == sfv.String)
}
