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
