package check

import "strconv"

// SizeRules bound the number of items of an array or of members of an object;
// the zero value has no bound.
type SizeRules struct {
	Min int
	Max Limit[int]
}

func (r *SizeRules) fits(n int) bool {
	return n >= r.Min && (!r.Max.set || n <= r.Max.v)
}

// Items checks the length of the array member name.
func (c *Checker) Items(name string, n int, r *SizeRules) {
	if r.fits(n) {
		return
	}
	c.Enter(name)
	c.ItemsHere(n, r)
	c.Leave()
}

// ItemsHere checks the length of the array where c stands.
func (c *Checker) ItemsHere(n int, r *SizeRules) {
	c.size(n, r, "Items", "item", "items")
}

// Properties checks how many members the object member name has.
func (c *Checker) Properties(name string, n int, r *SizeRules) {
	if r.fits(n) {
		return
	}
	c.Enter(name)
	c.PropertiesHere(n, r)
	c.Leave()
}

// PropertiesHere checks how many members the object where c stands has.
func (c *Checker) PropertiesHere(n int, r *SizeRules) {
	c.size(n, r, "Properties", "property", "properties")
}

func (c *Checker) size(n int, r *SizeRules, rule, one, many string) {
	if n < r.Min {
		c.Add("min"+rule, "must have at least "+plural(r.Min, one, many)+", has "+strconv.Itoa(n))
	}
	if r.Max.set && n > r.Max.v {
		c.Add("max"+rule, "must have at most "+plural(r.Max.v, one, many)+", has "+strconv.Itoa(n))
	}
}

// Enum reports the member name when ok is false. allowed lists the values for
// the message, as a document writes them: "a", "b".
func (c *Checker) Enum(name string, ok bool, allowed string) {
	if !ok {
		c.AddMember(name, "enum", "must be one of "+allowed)
	}
}
