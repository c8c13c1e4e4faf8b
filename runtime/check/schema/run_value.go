package schema

import (
	"strconv"
	"unicode/utf8"
)

func decimal(n int) string { return strconv.Itoa(n) }

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return decimal(n) + " " + one + "s"
}

func (r *run) number(b *numbers, v val) bool {
	if b == nil {
		return true
	}
	// Comparing takes time as the digits do, and dividing as their square.
	size := v.end() - v.start()
	if !r.spend(size/textPerStep + size/256*(size/256)) {
		return false
	}
	n, ok := v.number(), true
	if b.minimum != "" && n.Compare(b.minimum) < 0 {
		ok = r.fail(v, "minimum", "must be at least "+string(b.minimum))
	}
	if b.maximum != "" && n.Compare(b.maximum) > 0 {
		ok = r.fail(v, "maximum", "must be at most "+string(b.maximum))
	}
	if b.above != "" && n.Compare(b.above) <= 0 {
		ok = r.fail(v, "exclusiveMinimum", "must be greater than "+string(b.above))
	}
	if b.below != "" && n.Compare(b.below) >= 0 {
		ok = r.fail(v, "exclusiveMaximum", "must be less than "+string(b.below))
	}
	if b.multiple != "" && !n.IsMultipleOf(b.multiple) {
		ok = r.fail(v, "multipleOf", "must be a multiple of "+string(b.multiple))
	}
	return ok
}

func (r *run) text(t *texts, v val) bool {
	if t == nil {
		return true
	}
	ok, text := true, v.text()
	if !r.spend(len(text) / textPerStep) {
		return false
	}
	if t.minLength > 0 || t.maxLength >= 0 {
		n := utf8.RuneCountInString(text)
		if n < t.minLength {
			ok = r.fail(v, "minLength", "must be at least "+counted(t.minLength, "character")+", is "+decimal(n))
		}
		if t.maxLength >= 0 && n > t.maxLength {
			ok = r.fail(v, "maxLength", "must be at most "+counted(t.maxLength, "character")+", is "+decimal(n))
		}
	}
	if t.pattern != nil && !r.matches(t.pattern, text) && r.stopped == "" {
		ok = r.fail(v, "pattern", "must match the pattern "+t.pattern.String())
	}
	if !t.format.Match(text) {
		ok = r.fail(v, "format", "must be of the format "+t.format.String())
	}
	return ok
}

func (r *run) array(l *list, v val, m *marks) bool {
	if l == nil {
		return true
	}
	ok := true
	if n := v.count(); n < l.minItems {
		ok = r.fail(v, "minItems", "must have at least "+counted(l.minItems, "item")+", has "+decimal(n))
	} else if l.maxItems >= 0 && n > l.maxItems {
		ok = r.fail(v, "maxItems", "must have at most "+counted(l.maxItems, "item")+", has "+decimal(n))
	}
	for i, item := range v.all() {
		if r.enough(ok) {
			return ok
		}
		switch {
		case i < len(l.prefix):
			ok = r.check(l.prefix[i], item, nil) && ok
			m.one(i)
		case l.items != nil:
			ok = r.check(l.items, item, nil) && ok
			m.one(i)
		}
	}
	if l.items != nil {
		m.every()
	}
	if l.unique && !r.enough(ok) {
		ok = r.distinct(v) && ok
	}
	if l.contains != nil && !r.enough(ok) {
		ok = r.contains(l, v, m) && ok
	}
	return ok
}

// distinct checks uniqueItems.
func (r *run) distinct(v val) bool {
	if v.count() < 2 {
		return true
	}
	seen := make(map[string]int, v.count())
	for i, item := range v.all() {
		if !r.spend(1) {
			return false
		}
		key := string(appendCanonical(nil, item))
		r.spend(len(key) / 8)
		if first, twice := seen[key]; twice {
			return r.fail(v, "uniqueItems", "items "+decimal(first)+" and "+decimal(i)+" are equal")
		}
		seen[key] = i
	}
	return true
}

func (r *run) contains(l *list, v val, m *marks) bool {
	n := 0
	for i, item := range v.all() {
		if r.try(l.contains, item, nil) {
			n++
			m.one(i)
		}
	}
	switch {
	case r.stopped != "":
		return false
	case n < l.minContains:
		rule := "contains"
		if l.minContains > 1 {
			rule = "minContains"
		}
		return r.fail(v, rule, "must hold at least "+counted(l.minContains, "item")+" of the wanted kind, holds "+decimal(n))
	case l.maxContains >= 0 && n > l.maxContains:
		return r.fail(v, "maxContains", "must hold at most "+counted(l.maxContains, "item")+" of the wanted kind, holds "+decimal(n))
	}
	return true
}

func (r *run) object(o *object, v val, m *marks) bool {
	if o == nil {
		return true
	}
	ok := true
	if n := v.count(); n < o.minMembers {
		ok = r.fail(v, "minProperties", "must have at least "+properties(o.minMembers)+", has "+decimal(n))
	} else if o.maxMembers >= 0 && n > o.maxMembers {
		ok = r.fail(v, "maxProperties", "must have at most "+properties(o.maxMembers)+", has "+decimal(n))
	}
	for _, name := range o.required {
		if !r.has(v, name) {
			ok = r.missing(v, name, "required", "is missing")
		}
	}
	for i, member := range v.all() {
		if r.enough(ok) {
			return ok
		}
		ok = r.member(o, v, member, i, m) && ok
	}
	for i := range o.demands {
		if r.enough(ok) {
			return ok
		}
		ok = r.demand(&o.demands[i], v, m) && ok
	}
	return ok
}

// has reports whether an object has a member, and accounts for the search.
func (r *run) has(v val, name string) bool {
	if !r.spend(1 + v.count()) { // each name is read
		return true // the bound is what the caller is told of
	}
	_, ok := v.get(name)
	return ok
}

func properties(n int) string {
	if n == 1 {
		return "1 property"
	}
	return decimal(n) + " properties"
}

// member checks the i-th member of v.
func (r *run) member(o *object, v, at val, i int, m *marks) bool {
	key, ok, known := at.key(), true, false
	if o.names != nil && !r.try(o.names, val{doc: at.doc, at: at.at, name: true}, nil) {
		ok = r.missing(v, key, "propertyNames", "is not a name that is allowed here")
	}
	if n := o.members[key]; n != nil {
		known = true
		ok = r.memberValue(n, v, at, key, "not") && ok
	}
	for _, p := range o.patterns {
		if r.matches(p.name, key) {
			known = true
			ok = r.memberValue(p.node, v, at, key, "patternProperties") && ok
		}
	}
	if !known && o.extra != nil {
		known = true
		ok = r.memberValue(o.extra, v, at, key, "additionalProperties") && ok
	}
	if known {
		m.one(i)
	}
	return ok
}

// memberValue checks a member that a keyword has a schema for.
func (r *run) memberValue(n *node, v, at val, key, rule string) bool {
	if !n.never {
		return r.check(n, at, nil)
	}
	if rule == "additionalProperties" {
		return r.missing(v, key, rule, "is not a known property")
	}
	return r.missing(v, key, rule, "must not be present")
}

// demand checks what the presence of a member asks for.
func (r *run) demand(d *demand, v val, m *marks) bool {
	if !r.has(v, d.member) {
		return true
	}
	if d.node != nil {
		return r.branch(d.node, v, m)
	}
	ok := true
	for _, name := range d.required {
		if !r.has(v, name) {
			ok = r.missing(v, name, "dependentRequired", "is missing: it has to be there with "+d.member)
		}
	}
	return ok
}
