package ecma

import "strconv"

// A Result is the answer of [Regexp.Match].
type Result uint8

// The results.
const (
	NoMatch Result = iota
	Matches
	// Unknown says that the search was given up at its bound of steps.
	Unknown
)

// The steps that a match may take: so many for itself and so many for each byte of
// the text. A step is the visit of one state, some nanoseconds. Patterns have a few
// hundred states, of which a handful is alive at a time. Backtracking has less: a
// request may bring thousands of texts for a pattern, each made to use up its steps.
const (
	linearBase, linearPerByte = 1 << 21, 128
	searchBase, searchPerByte = 1 << 18, 32
)

// A Regexp is a compiled pattern. Safe for concurrent use.
type Regexp struct {
	source   string
	notes    []Note
	straight *straight // for patterns that need no state
	linear   *linear   // for the others without backreferences
	search   *program  // for the rest
}

// A Note is a construct that is not of ECMA-262 and that was read as other
// languages have it.
type Note struct {
	Offset  int    // in bytes, of the construct
	Message string // what it was read as
	// Escape tells an escape, which a validator of patterns has to refuse, from
	// syntax that only extends the language.
	Escape bool
}

// An Error says why a pattern cannot be used.
type Error struct {
	Offset  int    // in bytes, of the construct
	Message string // without the pattern and the offset
	// Unsupported tells a pattern that this package cannot run from one that
	// ECMA-262 refuses, with annex B.
	Unsupported bool
	// Foreign tells an escape that only other languages know. Annex B reads its
	// letter literally, which nobody who wrote it meant.
	Foreign bool
}

// Error returns the message with the offset.
func (e *Error) Error() string { return "offset " + strconv.Itoa(e.Offset) + ": " + e.Message }

// Compile reads a pattern. The error is an *Error.
func Compile(pattern string) (*Regexp, error) {
	p := newParser(pattern)
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	re := &Regexp{source: pattern, notes: p.notes}
	if re.straight = newStraight(root); re.straight != nil {
		return re, nil
	}
	if !p.backrefs && size(root) <= maxStates {
		re.linear = newLinear(root)
	} else {
		re.search = newProgram(root, p.captures())
	}
	return re, nil
}

// String returns the pattern.
func (re *Regexp) String() string { return re.source }

// Notes lists what of the pattern was read as other languages have it, in the
// order of the pattern. Do not change it.
func (re *Regexp) Notes() []Note { return re.notes }

// Match reports whether s contains a match. A pattern without backreferences takes
// up to 2,097,152 steps and 128 more for each byte of s, another one 262,144 and 32;
// then it gives up and returns Unknown. No pattern without backreferences that a
// person would write comes near. Bytes that are not
// UTF-8 count as U+FFFD each. A match does not allocate, once the state of an
// earlier one can be used again.
func (re *Regexp) Match(s string) Result {
	switch {
	case re.straight != nil:
		return re.straight.match(s)
	case re.linear != nil:
		return re.linear.match(s)
	}
	return re.search.match(s)
}
