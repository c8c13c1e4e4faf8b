package check

import (
	"maps"
	"slices"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// Each checks every item of the array member name with f.
func Each[T any](c *Checker, name string, items []T, f func(*T, *Checker)) {
	c.Enter(name)
	eachItem(c, items, f)
	c.Leave()
}

// Values checks every value of the map member name with f. What is wrong is
// reported in the order of the keys.
func Values[T any](c *Checker, name string, m map[string]T, f func(*T, *Checker)) {
	c.Enter(name)
	eachValue(c, m, f)
	c.Leave()
}

// SliceOf makes an element function for arrays of one for their items. Keep
// the result in a package variable: making it allocates.
func SliceOf[T any](f func(*T, *Checker)) func(*[]T, *Checker) {
	return func(v *[]T, c *Checker) { eachItem(c, *v, f) }
}

// MapOf makes an element function for maps of one for their values.
func MapOf[T any](f func(*T, *Checker)) func(*map[string]T, *Checker) {
	return func(v *map[string]T, c *Checker) { eachValue(c, *v, f) }
}

// Optional is a value that may not be there: *value.Opt, *value.Null and
// *value.OptNull.
type Optional[T any] interface{ Ptr() *T }

// Opt checks the member name when it holds a value.
func Opt[T any](c *Checker, name string, v Optional[T], f func(*T, *Checker)) {
	Ptr(c, name, v.Ptr(), f)
}

// Ptr checks the member name when p is not nil.
func Ptr[T any](c *Checker, name string, p *T, f func(*T, *Checker)) {
	if p == nil || c.deep() {
		return
	}
	c.Enter(name)
	f(p, c)
	c.Leave()
}

// Member checks the member name with f.
func Member[T any](c *Checker, name string, v *T, f func(*T, *Checker)) {
	Ptr(c, name, v, f)
}

// NullOf makes an element function for nullable values of one for the value.
func NullOf[T any](f func(*T, *Checker)) func(*value.Null[T], *Checker) {
	return func(v *value.Null[T], c *Checker) {
		if p := v.Ptr(); p != nil && !c.deep() {
			f(p, c)
		}
	}
}

func eachItem[T any](c *Checker, items []T, f func(*T, *Checker)) {
	if c.deep() {
		return
	}
	for i := range items {
		if c.Full() {
			return
		}
		c.EnterIndex(i)
		f(&items[i], c)
		c.Leave()
	}
}

// eachValue walks in the map's own order first, which costs nothing, and again
// in the order of the keys when something is wrong, so that the report does
// not change from run to run.
func eachValue[T any](c *Checker, m map[string]T, f func(*T, *Checker)) {
	if len(m) == 0 || c.deep() {
		return
	}
	before := len(c.found)
	var v T
	for name := range m {
		v = m[name]
		c.Enter(name)
		f(&v, c)
		c.Leave()
		if len(c.found) > before {
			break
		}
	}
	if len(c.found) == before {
		return
	}
	c.found = c.found[:before]
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if c.Full() {
			return
		}
		v = m[name]
		c.Enter(name)
		f(&v, c)
		c.Leave()
	}
}
