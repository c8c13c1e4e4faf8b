package check

// The functions here make element functions, func(*T, *Checker), out of rules and
// out of one another. Keep what they return in package variables: making one
// allocates.

// Of makes the element function of a type that has a Validate method. It is what a
// package variable needs whose function the method itself uses: a method expression
// there would be an initialization cycle.
func Of[T any, P interface {
	*T
	Validator
}]() func(*T, *Checker) {
	return func(v *T, c *Checker) { P(v).Validate(c) }
}

// All makes an element function that applies each of fs.
func All[T any](fs ...func(*T, *Checker)) func(*T, *Checker) {
	return func(v *T, c *Checker) {
		for _, f := range fs {
			f(v, c)
		}
	}
}

// ItemsOf makes an element function that bounds the length of an array.
func ItemsOf[S ~[]T, T any](r *SizeRules) func(*S, *Checker) {
	return func(v *S, c *Checker) {
		if !r.fits(len(*v)) {
			c.ItemsHere(len(*v), r)
		}
	}
}

// PropertiesOf makes an element function that bounds the number of an object's
// members.
func PropertiesOf[M ~map[string]T, T any](r *SizeRules) func(*M, *Checker) {
	return func(v *M, c *Checker) {
		if !r.fits(len(*v)) {
			c.PropertiesHere(len(*v), r)
		}
	}
}

// CountOf makes an element function that bounds the number of members of an object
// that can count them.
func CountOf[T any](members func(*T) int, r *SizeRules) func(*T, *Checker) {
	return func(v *T, c *Checker) {
		if n := members(v); !r.fits(n) {
			c.PropertiesHere(n, r)
		}
	}
}

// UniqueOf is the element function of arrays without equal items, for items whose
// == is JSON equality; see Unique.
func UniqueOf[S ~[]T, T comparable](v *S, c *Checker) { UniqueHere(c, []T(*v)) }

// PtrOf makes an element function for pointers of one for what they point to. A nil
// pointer passes.
func PtrOf[T any](f func(*T, *Checker)) func(**T, *Checker) {
	return func(v **T, c *Checker) {
		if *v != nil && !c.deep() {
			f(*v, c)
		}
	}
}

// Slice checks the array member name with f, unless it is nil and so absent.
func Slice[S ~[]T, T any](c *Checker, name string, v *S, f func(*S, *Checker)) {
	if *v != nil {
		Member(c, name, v, f)
	}
}

// Map checks the map member name with f, unless it is nil and so absent.
func Map[M ~map[string]T, T any](c *Checker, name string, v *M, f func(*M, *Checker)) {
	if *v != nil {
		Member(c, name, v, f)
	}
}

// ValuesHere checks every value of a map that belongs to the object where c stands.
func ValuesHere[T any](c *Checker, m map[string]T, f func(*T, *Checker)) { eachValue(c, m, f) }

// Item checks the item at index i of the array where c stands.
func Item[T any](c *Checker, i int, v *T, f func(*T, *Checker)) {
	if c.deep() {
		return
	}
	c.EnterIndex(i)
	f(v, c)
	c.Leave()
}
