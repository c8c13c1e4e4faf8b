package json

import (
	"errors"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// A Mark is a state of a Decoder to which Reset goes back.
type Mark struct {
	pos, start    int
	frames, found int
	keys, later   int
	first         bool
	loop          loopState
}

// Mark remembers where d stands and what it has found.
func (d *Decoder) Mark() Mark {
	return Mark{
		pos: d.pos, start: d.start, frames: len(d.frames), found: len(d.found),
		keys: len(d.keys), later: len(d.later), first: d.first, loop: d.loop,
	}
}

// Reset goes back to a mark made at the same place or before, in a container
// that is still open. A syntax error stays.
func (d *Decoder) Reset(m Mark) {
	if d.err != nil {
		return
	}
	d.pos, d.start, d.first, d.loop = m.pos, m.start, m.first, m.loop
	d.frames = d.frames[:min(m.frames, len(d.frames))]
	d.found = d.found[:min(m.found, len(d.found))]
	d.keys = d.keys[:min(m.keys, len(d.keys))]
	d.later = d.later[:min(m.later, len(d.later))]
	for depth := range d.sets { // those of containers that were left
		if depth >= len(d.frames) {
			delete(d.sets, depth)
		}
	}
}

// The bytes that trials may read again: a constant, and a multiple of the
// text's length. Without a bound a union inside a union inside a union … takes
// time exponential in the depth.
const (
	trialBytes  = 1 << 20
	trialFactor = 200
)

// spend accounts for bytes read in a trial.
func (d *Decoder) spend(n int) {
	d.work += max(n, 0)
	if d.work > trialBytes+trialFactor*len(d.src) {
		d.syntax(d.pos, ErrWork.Error(), ErrWork)
	}
}

// PeekMember returns the string member name of the object at which d stands,
// wherever in the object it is, and moves nothing. It is how a discriminator
// is read. It returns false where there is no such member, where it is no
// string, and where the text is malformed, which decoding then reports.
func (d *Decoder) PeekMember(name string) (string, bool) {
	if d.err != nil || d.peek() != '{' {
		return "", false
	}
	s, i := d.src, scanSpace(d.src, d.pos+1)
	for i < len(s) && s[i] == '"' {
		raw, end, fault := scanKey(s, i)
		if fault != "" {
			return "", false
		}
		begin := end
		if end, fault = scanValue(s, end, d.mode.maxDepth()); fault != "" {
			return "", false
		}
		if raw == name || strings.IndexByte(raw, '\\') >= 0 && unescape(raw) == name {
			d.spend(end - d.pos)
			if s[begin] != '"' {
				return "", false
			}
			return unescape(s[begin+1 : end-1]), true
		}
		if i = scanSpace(s, end); i < len(s) && s[i] == ',' {
			i = scanSpace(s, i+1)
		}
	}
	d.spend(i - d.pos)
	return "", false
}

// Discriminator is PeekMember for the member that chooses a union's variant.
// Where it is missing or no string, that is noted, the value is skipped and ok
// is false.
func (d *Decoder) Discriminator(name string) (v string, ok bool) {
	if v, ok = d.PeekMember(name); ok || d.err != nil {
		return v, ok
	}
	if d.peek() != '{' {
		d.Mismatch("an object")
		return "", false
	}
	at := d.pos
	d.Skip()
	d.start = at
	d.add(finding{
		offset: at, member: true, name: name, rule: "discriminator",
		detail: "must be there, as a string: it tells the type of the object",
	})
	return "", false
}

// UnknownVariant notes that the discriminator name has a value that no variant
// goes by, and passes over the object. allowed lists those that are known:
// "cat", "dog".
func (d *Decoder) UnknownVariant(name, got, allowed string) {
	at := d.pos
	d.Skip()
	quoted := string(appendString(nil, echo(got)))
	d.add(finding{
		offset: at, member: true, name: name, rule: "discriminator",
		detail: name + " is " + quoted + ", must be one of " + allowed,
	})
}

// A Union tries the variants of a oneOf or an anyOf on one value:
//
//	u := d.Union()
//	var foo HasFoo
//	u.Try("HasFoo", &foo)
//	var bar HasBar
//	u.Try("HasBar", &bar)
//	switch u.OneOf() {
//	case 0:
//		v.HasFoo = &foo
//	case 1:
//		v.HasBar = &bar
//	}
//
// Inside a trial decoding is strict, and the constraints of a type that has a
// Validate method count. A lenient Decoder falls back on the variant that only
// strictness refused, if there is one. A Union is not to be copied.
type Union struct {
	d        *Decoder
	mark     Mark
	end      int // behind the value, once a variant has read it
	variants []variant
	room     [4]variant
}

type variant struct {
	name    string
	result  result
	why     finding  // the first violation
	more    []string // with it, further missing members
	broken  string   // the constraints that the value breaks
	strange int      // members that it does not know
}

type result uint8

const (
	refused  result = iota
	tolerant        // fits, but for what only a strict Decoder refuses
	fits
)

// Union begins the trials of the value at which d stands.
func (d *Decoder) Union() Union {
	return Union{d: d, mark: d.Mark(), end: -1}
}

// Try reads the value as v and reports whether it fits without a violation.
func (u *Union) Try(name string, v Unmarshaler) bool {
	return u.try(name, func() { v.DecodeJSON(u.d) }, func() error {
		if v, ok := v.(check.Validator); ok {
			return check.BodyRead(v, u.d.mode.Direction.way())
		}
		return nil
	})
}

// TryValue is Try for a variant that is no generated type: c reads it, and
// rules, unless nil, checks its constraints.
func TryValue[T any](u *Union, name string, v *T, c Codec[T], rules func(*T, *check.Checker)) bool {
	return u.try(name, func() { c.Decode(u.d, v) }, func() error {
		if rules == nil {
			return nil
		}
		var checker check.Checker
		checker.Travel(u.d.mode.Direction.way())
		checker.Hold(true)
		rules(v, &checker)
		return checker.Err()
	})
}

func (u *Union) try(name string, read func(), validate func() error) bool {
	d := u.d
	if u.variants == nil {
		u.variants = u.room[:0]
	}
	u.variants = append(u.variants, variant{name: name})
	if d.err != nil {
		return false
	}
	v := &u.variants[len(u.variants)-1]
	strict, strange := d.mode.Strict, d.strange
	d.mode.Strict = true
	d.trials++
	read()
	d.trials--
	d.mode.Strict = strict
	v.strange = d.strange - strange
	end := d.pos
	switch {
	case errors.Is(d.err, errAbort):
		d.err = nil
		end = d.aborted
		v.note(d.found[u.mark.found:])
	case d.err == nil:
		u.end = d.pos
		v.result = fits
		if len(d.found) > u.mark.found {
			v.result = tolerant
			v.note(d.found[u.mark.found:])
		} else if err := validate(); err != nil {
			v.result = tolerant
			v.broken = err.Error()
		}
	}
	d.Reset(u.mark)
	d.spend(end - u.mark.pos)
	return v.result == fits
}

// note keeps why the variant does not match.
func (v *variant) note(found []finding) {
	if len(found) == 0 { // MaxViolations was reached before
		return
	}
	v.why = found[0]
	if v.why.rule != "required" {
		return
	}
	for _, f := range found[1:] {
		if f.rule == "required" && f.offset == v.why.offset {
			v.more = append(v.more, f.name)
		}
	}
}

// OneOf ends the trials of a oneOf: it returns the index of the one variant
// that fits, in the order of the trials, and moves behind the value. Where none
// or several fit, that is noted and the result is -1.
func (u *Union) OneOf() int {
	want := u.accepted()
	match, matches := -1, 0
	for i := range u.variants {
		if u.variants[i].result >= want {
			match = i
			matches++
		}
	}
	switch {
	case u.d.err != nil:
		return -1
	case matches == 1:
		u.finish()
		return match
	case matches == 0:
		u.none("oneOf")
	default:
		u.report("oneOf", "matches "+u.names(want, " and ")+", must match only one of them", false)
	}
	return -1
}

// BestOf is OneOf for a oneOf with a variant all of whose values another one takes as
// well, which no value can be of then. In a request it is OneOf; elsewhere, of several
// variants that fit, the one that knows most of the members at any depth is taken, the
// first of equals.
func (u *Union) BestOf() int {
	d := u.d
	if d.mode.Direction == Request {
		return u.OneOf()
	}
	want := u.accepted()
	best := -1
	for i := range u.variants {
		if v := &u.variants[i]; v.result >= want && (best < 0 || v.strange < u.variants[best].strange) {
			best = i
		}
	}
	if d.err != nil {
		return -1
	}
	if best < 0 {
		u.none("oneOf")
		return -1
	}
	u.finish()
	return best
}

// AnyOf ends the trials of an anyOf: it reports whether a variant fits, which
// Matches tells of each, and moves behind the value. Where none fits, that is
// noted.
func (u *Union) AnyOf() bool {
	want := u.accepted()
	for i := range u.variants {
		if u.d.err == nil && u.variants[i].result >= want {
			u.finish()
			return true
		}
	}
	if u.d.err == nil {
		u.none("anyOf")
	}
	return false
}

// Matches reports whether the i-th variant fits.
func (u *Union) Matches(i int) bool {
	return i >= 0 && i < len(u.variants) && u.variants[i].result >= u.accepted()
}

// accepted is the least result that counts: a tolerant one does where nothing
// fits and the Decoder is lenient.
func (u *Union) accepted() result {
	if u.d.mode.Strict || u.count(fits) > 0 {
		return fits
	}
	return tolerant
}

func (u *Union) count(r result) (n int) {
	for i := range u.variants {
		if u.variants[i].result == r {
			n++
		}
	}
	return n
}

func (u *Union) finish() {
	u.d.start = u.mark.pos
	u.d.pos = u.end
}

func (u *Union) names(least result, sep string) string {
	var names []string
	for i := range u.variants {
		if u.variants[i].result >= least {
			names = append(names, u.variants[i].name)
		}
	}
	return strings.Join(names, sep)
}

func (u *Union) none(rule string) {
	detail := "matches none of " + u.names(refused, ", ")
	// Inside a trial nobody reads the reasons, and finding them takes time.
	if u.d.trials == 0 {
		reasons := make([]string, len(u.variants))
		for i := range u.variants {
			reasons[i] = u.reason(&u.variants[i])
		}
		detail += ": " + strings.Join(reasons, " / ")
	}
	u.report(rule, detail, u.count(tolerant) == 1)
}

// reason words why a variant does not match: "missing foo".
func (u *Union) reason(v *variant) string {
	if v.broken != "" {
		return v.broken
	}
	pointer := pointers(u.d.src, u.mark.pos, []int{v.why.offset})[0]
	path := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	if v.why.member {
		if path != "" {
			path += "."
		}
		path += v.why.name
	}
	if v.why.rule == "required" {
		return "missing " + strings.Join(append([]string{path}, v.more...), ", ")
	}
	if path == "" {
		return v.why.detail
	}
	return path + " " + v.why.detail
}

// report passes over the value and notes what is wrong with it.
func (u *Union) report(rule, detail string, soft bool) {
	d := u.d
	d.Skip()
	d.add(finding{offset: u.mark.pos, rule: rule, detail: detail, soft: soft})
}
