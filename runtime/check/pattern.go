package check

import (
	"errors"
	"regexp"
	"strconv"
	"sync"
)

// A Pattern is a regular expression of a schema: ECMA-262 with the u flag,
// not anchored, run by RE2 in linear time. Make one with Regexp or Compile.
// Safe for concurrent use.
type Pattern struct {
	source string
	once   sync.Once
	re     *regexp.Regexp
	err    error
}

// Regexp returns the pattern and compiles it at its first use, so that a
// package with a thousand patterns costs nothing at start. A pattern that does
// not compile matches every string: Compile tells, and the generator asked it.
func Regexp(ecma string) *Pattern { return &Pattern{source: ecma} }

// Compile returns the pattern, compiled. The error is a *PatternError.
func Compile(ecma string) (*Pattern, error) {
	p := Regexp(ecma)
	p.once.Do(p.compile)
	return p, p.err
}

// Position tells whether a pattern can be used and, if not, where it fails:
// the offset in bytes of the offending construct, such as the bracket that is
// never closed. The error is a *PatternError.
func Position(ecma string) (offset int, err error) {
	_, err = Compile(ecma)
	if e, ok := errors.AsType[*PatternError](err); ok {
		return e.Offset, err
	}
	return 0, err
}

// Match reports whether s contains a match of the pattern.
func (p *Pattern) Match(s string) bool {
	p.once.Do(p.compile)
	return p.re == nil || p.re.MatchString(s)
}

// String returns the pattern as the schema has it.
func (p *Pattern) String() string { return p.source }

func (p *Pattern) compile() {
	text, err := translate(p.source)
	if err != nil {
		p.err = err
		return
	}
	re, err := regexp.Compile(text)
	if err != nil {
		// RE2 has bounds of its own: nested repeat counts, program size.
		p.err = &PatternError{Pattern: p.source, Message: "the pattern is too large for a linear-time engine", Unsupported: true}
		return
	}
	p.re = re
}

// A PatternError says why a pattern cannot be used.
type PatternError struct {
	Pattern string
	Offset  int    // in bytes
	Message string // without the pattern and the offset
	// Unsupported tells a pattern that ECMA-262 allows and a linear-time engine
	// cannot run (lookaround, backreferences) from one that is broken.
	Unsupported bool

	foreign bool // an escape of another language, which the u flag refuses
}

// Error returns the message with the pattern and the offset.
func (e *PatternError) Error() string {
	return "pattern " + strconv.Quote(e.Pattern) + ", offset " + strconv.Itoa(e.Offset) + ": " + e.Message
}
