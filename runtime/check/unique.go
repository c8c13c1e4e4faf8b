package check

import "strconv"

// fewItems is up to where comparing each with each beats a map.
const fewItems = 32

// Unique reports the array member name when two of its items are equal. It is
// for items whose == is JSON equality: strings, integers, booleans, floats.
// Other items go through the Unique of the JSON codec.
func Unique[T comparable](c *Checker, name string, items []T) {
	if i, j, ok := twins(items); ok {
		c.AddMember(name, "uniqueItems", sameItems(i, j))
	}
}

// UniqueBy is Unique for items that are equal when their keys are.
func UniqueBy[K comparable](c *Checker, name string, n int, key func(i int) K) {
	keys := make([]K, n)
	for i := range keys {
		keys[i] = key(i)
	}
	Unique(c, name, keys)
}

// UniqueHere is Unique for the array where c stands.
func UniqueHere[T comparable](c *Checker, items []T) {
	if i, j, ok := twins(items); ok {
		c.Add("uniqueItems", sameItems(i, j))
	}
}

// The bytes that comparing items may read: a constant, and a multiple of what the
// outermost array has. Arrays within arrays are read again for each array around
// them, which without a bound takes time quadratic in the message.
const (
	compareBytes  = 64 << 10
	compareFactor = 16
)

// Compare accounts for n bytes read to compare the items of the array where c
// stands, and reports whether more may be read. Where no more may, that is a
// violation. With 0 it only asks.
func (c *Checker) Compare(n int) bool {
	switch {
	case c.outer == 0 && n == 0:
		return true
	case c.outer == 0:
		c.outer, c.spare = len(c.path)+1, compareBytes+compareFactor*n
	case c.spare < 0:
		return false // told already
	}
	if c.spare -= n; c.spare < 0 {
		c.Add("uniqueItems", "is nested too deeply in other arrays for its items to be compared")
	}
	return c.spare >= 0
}

func sameItems(i, j int) string {
	return "must not repeat an item: items " + strconv.Itoa(i) + " and " + strconv.Itoa(j) + " are equal"
}

// twins finds the first item that equals an earlier one.
func twins[T comparable](items []T) (i, j int, ok bool) {
	if len(items) <= fewItems {
		for j, v := range items {
			for i, w := range items[:j] {
				if v == w {
					return i, j, true
				}
			}
		}
		return 0, 0, false
	}
	seen := make(map[T]int, len(items))
	for j, v := range items {
		if i, dup := seen[v]; dup {
			return i, j, true
		}
		seen[v] = j
	}
	return 0, 0, false
}
