package json

import "github.com/holdfast-go/holdfast/runtime/check"

// KeyPattern is an entry of patternProperties: members whose name matches have a
// schema of their own. Matching makes one.
type KeyPattern struct {
	name *check.Pattern
	fits func(d *Decoder)
}

// Matching demands of members whose name matches the pattern that c can read them.
func Matching[T any](name *check.Pattern, c Codec[T]) KeyPattern {
	return KeyPattern{name: name, fits: func(d *Decoder) {
		var v T
		c.Decode(d, &v)
	}}
}

// DecodeMatching reads a member that has no place of its own into a map, after it was
// held against the patterns. Where the object is closed, a member that matches none of
// them is refused.
func DecodeMatching[T any](d *Decoder, m *map[string]T, c Codec[T], closed bool, patterns []KeyPattern) {
	key, at, matched := d.Key(), d.Mark(), false
	for _, p := range patterns {
		matches, known := p.name.Try(key)
		if !known && d.mode.Strict {
			// A name could be made to get around the schema of the pattern.
			d.add(finding{
				offset: d.pos, rule: "patternProperties", soft: true,
				detail: "has a name that takes too many attempts to be held against the pattern " + p.name.String(),
			})
		}
		if !matches {
			continue
		}
		matched = true
		p.fits(d)
		if d.err != nil {
			return
		}
		at.found = len(d.found) // what was found stays
		d.spend(d.pos - at.pos)
		d.Reset(at)
	}
	if closed && !matched {
		d.Reject()
		return
	}
	var item T
	c.Decode(d, &item)
	if *m == nil {
		*m = map[string]T{}
	}
	(*m)[key] = item
}

// MapMatching is Map for an object with patternProperties.
func MapMatching[T any](c Codec[T], closed bool, patterns []KeyPattern) Codec[map[string]T] {
	return Codec[map[string]T]{
		Decode: func(d *Decoder, v *map[string]T) {
			*v = map[string]T{}
			for d.Object(); d.NextKey(); {
				DecodeMatching(d, v, c, closed, patterns)
			}
		},
		Encode: func(e *Encoder, v *map[string]T) { EncodeMap(e, *v, c) },
	}
}
