package param

import (
	"errors"
	"iter"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Object reads the members of an object and collects what is wrong with them:
//
//	func parseFilter(r param.Raw) (Filter, error) {
//		var v Filter
//		o := r.Object()
//		param.GetOpt(o, "state", param.String, &v.State)
//		param.GetList(o, "tags", param.String, &v.Tags, false)
//		return v, o.Err()
//	}
//
// Members that are not asked for are ignored unless Closed is called.
type Object struct {
	raw   Raw
	mode  objectMode
	list  []pair   // of delimited objects
	taken []string // names that were asked for
	found bool     // a member was there
	err   error    // the whole is wrong
	wrong []check.Violation
}

type objectMode uint8

const (
	delimited objectMode = iota // the members are in list
	exploded                    // each member is a pair of its own
	deep                        // each member has a key below the object's
)

// Object reads r as an object.
func (r Raw) Object() *Object {
	o := &Object{raw: r}
	switch {
	case r.depth >= maxDepth:
		o.err = fail("style", "is nested too deeply")
	case (r.part || r.member) && r.n > 0:
		o.err = fail("style", "is nested in a way that the style has no form for")
	case r.style.has(DeepObject):
		o.mode = deep
		if r.n > 0 {
			o.err = fail("type", "must be an object, as name[member]=value")
		}
	case r.pairs != nil && !r.member && r.style.has(Explode):
		o.mode = exploded
	case r.n == 0:
		o.err = ErrAbsent
	default:
		o.err = o.split()
	}
	return o
}

// split fills the list of a delimited object.
func (o *Object) split() error {
	pieces, err := o.raw.pieces()
	if err != nil {
		return err
	}
	explode := o.raw.style.has(Explode)
	if !explode && len(pieces)%2 != 0 {
		return fail("style", "must have a value for each member")
	}
	if len(pieces) > MaxPairs {
		return fail("maxItems", "has too many members")
	}
	for i := 0; i < len(pieces); i++ {
		name, text, ok := strings.Cut(pieces[i], "=")
		switch {
		case !explode:
			name, text = pieces[i], pieces[i+1]
			i++
		case !ok:
			return fail("style", "must have members such as name=value")
		}
		if name, err = o.raw.decode(name); err != nil {
			return err
		}
		o.list = append(o.list, pair{name, text})
	}
	return nil
}

// Member is the member of a name; it is absent when there is none.
func (o *Object) Member(name string) Raw {
	o.taken = append(o.taken, name)
	return o.member(name)
}

func (o *Object) member(name string) Raw {
	if o.err != nil {
		return Raw{}
	}
	var r Raw
	switch o.mode {
	case exploded:
		r = o.raw.pairs.Raw(name, o.raw.style)
		r.member, r.depth = true, o.raw.depth+1
		o.found = o.found || r.n > 0
		return r
	case deep:
		r = o.raw.child(name)
		o.found = o.found || r.n > 0 || len(r.pairs.below(r.key+"[")) > 0
		return r
	}
	for _, e := range o.list {
		if e.name != name {
			continue
		}
		if r.n++; r.n == 1 {
			n := r.n
			r = o.raw.item(e.raw)
			r.n = n
		}
	}
	return r
}

// Extra are the members that were not asked for.
func (o *Object) Extra() iter.Seq2[string, Raw] {
	return func(yield func(string, Raw) bool) {
		for _, name := range o.others() {
			if !yield(name, o.member(name)) {
				return
			}
		}
	}
}

// others are the names that were not asked for, each once.
func (o *Object) others() []string {
	if o.err != nil {
		return nil
	}
	taken := make(map[string]bool, len(o.taken))
	for _, name := range o.taken {
		taken[name] = true
	}
	var names []string
	add := func(name string) {
		if !taken[name] {
			taken[name] = true
			names = append(names, name)
		}
	}
	switch o.mode {
	case exploded:
		for _, e := range o.raw.pairs.list {
			if !o.raw.pairs.isReserved(e.name) {
				add(e.name)
			}
		}
	case deep:
		for _, name := range o.raw.children() {
			add(name)
		}
	default:
		for _, e := range o.list {
			add(e.name)
		}
	}
	return names
}

// Closed refuses members that were not asked for.
func (o *Object) Closed() {
	for _, name := range o.others() {
		o.found = true
		o.add([]check.Violation{{Pointer: pointer(name), Rule: "additionalProperties", Detail: "is not a known member"}})
	}
}

// Err is what is wrong, ErrAbsent when no member was there, or nil.
func (o *Object) Err() error {
	switch {
	case o.err != nil:
		return o.err
	case !o.present():
		return ErrAbsent
	case len(o.wrong) > 0:
		return &check.Error{Violations: o.wrong}
	}
	return nil
}

// present reports whether the object is there. A deepObject is when any key is
// below it, also one that nobody asked for.
func (o *Object) present() bool {
	if o.mode == deep && !o.found {
		return o.raw.pairs != nil && len(o.raw.children()) > 0
	}
	return o.mode == delimited || o.found
}

func (o *Object) add(vs []check.Violation) {
	if room := check.MaxViolations - len(o.wrong); len(vs) > room {
		vs = vs[:room]
	}
	o.wrong = append(o.wrong, vs...)
}

// got stores a member's result. It reports whether there is a value.
func (o *Object) got(name string, err error, required bool) bool {
	if err == nil {
		return true
	}
	if o.err == nil && (required || !errors.Is(err, ErrAbsent)) {
		o.add(below(err, pointer(name)))
	}
	return false
}

// parseMember reads a member. Absent ones are not parsed, so that the parser of
// a type that holds itself comes to an end.
func parseMember[T any](o *Object, name string, c Codec[T]) (T, error) {
	r := o.Member(name)
	if r.Absent() {
		var zero T
		return zero, ErrAbsent
	}
	return c.Parse(r)
}

func pointer(name string) string { return string(check.AppendPointer(nil, name)) }

// Get reads a required member.
func Get[T any](o *Object, name string, c Codec[T], dst *T) {
	v, err := parseMember(o, name, c)
	if o.got(name, err, true) {
		*dst = v
	}
}

// GetOpt reads an optional member.
func GetOpt[T any](o *Object, name string, c Codec[T], dst *value.Opt[T]) {
	v, err := parseMember(o, name, c)
	if o.got(name, err, false) {
		dst.Set(v)
	}
}

// GetOptNull reads an optional member that could be null in JSON; here it is
// absent or a value.
func GetOptNull[T any](o *Object, name string, c Codec[T], dst *value.OptNull[T]) {
	v, err := parseMember(o, name, c)
	if o.got(name, err, false) {
		dst.Set(v)
	}
}

// GetNull reads a required member that could be null in JSON: when it is
// absent it stays null, for parameters have no other way to say so.
func GetNull[T any](o *Object, name string, c Codec[T], dst *value.Null[T]) {
	v, err := parseMember(o, name, c)
	if o.got(name, err, false) {
		dst.Set(v)
	}
}

// GetPtr reads an optional member into a new T.
func GetPtr[T any](o *Object, name string, c Codec[T], dst **T) {
	v, err := parseMember(o, name, c)
	if o.got(name, err, false) {
		*dst = &v
	}
}

// GetList reads a member that is a list.
func GetList[T any](o *Object, name string, c Codec[T], dst *[]T, required bool) {
	v, err := parseMember(o, name, ListOf(c))
	if o.got(name, err, required) {
		*dst = v
	}
}

// GetMap reads an object of unknown members.
func GetMap[T any](o *Object, name string, c Codec[T], dst *map[string]T, required bool) {
	v, err := parseMember(o, name, MapOf(c))
	if o.got(name, err, required) {
		*dst = v
	}
}

// GetExtra reads all members that were not asked for before.
func GetExtra[T any](o *Object, c Codec[T], dst *map[string]T) {
	for name, r := range o.Extra() {
		v, err := c.Parse(r)
		if !o.got(name, err, false) {
			continue
		}
		if *dst == nil {
			*dst = make(map[string]T)
		}
		(*dst)[name] = v
	}
}

// Members collects the members of an object that is written:
//
//	func formatFilter(v Filter) param.Value {
//		var m param.Members
//		m.Put("state", param.Opt(param.String, v.State))
//		param.PutExtra(&m, param.String, v.Extra)
//		return m.Value()
//	}
type Members []Member

// Put adds a member; one without a value is left out.
func (m *Members) Put(name string, v Value) {
	if v.kind != noValue {
		*m = append(*m, Member{name, v})
	}
}

// PutExtra adds the members of a map, in the order of their names.
func PutExtra[T any](m *Members, c Codec[T], extra map[string]T) {
	*m = appendMap(*m, c, extra)
}

// Value is the object.
func (m Members) Value() Value { return ObjectValue(m...) }
