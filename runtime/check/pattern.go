package check

import (
	"errors"
	"strconv"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/check/ecma"
)

// A Pattern is a regular expression of a schema: ECMA-262 with the u flag, not
// anchored. Make one with Regexp or Compile. Safe for concurrent use.
type Pattern struct {
	source string
	once   sync.Once
	re     *ecma.Regexp
	err    error
}

// Regexp returns the pattern and compiles it at its first use, so that a
// package with a thousand patterns costs nothing at start. A pattern that does
// not compile matches every string: Compile tells, and the generator asked it.
func Regexp(pattern string) *Pattern { return &Pattern{source: pattern} }

// Compile returns the pattern, compiled. The error is a *PatternError.
func Compile(pattern string) (*Pattern, error) {
	p := Regexp(pattern)
	p.once.Do(p.compile)
	return p, p.err
}

// Position tells whether a pattern can be used and, if not, where it fails:
// the offset in bytes of the offending construct, such as the bracket that is
// never closed. The error is a *PatternError.
func Position(pattern string) (offset int, err error) {
	_, err = Compile(pattern)
	if e, ok := errors.AsType[*PatternError](err); ok {
		return e.Offset, err
	}
	return 0, err
}

// Match reports whether s is known to contain a match of the pattern.
func (p *Pattern) Match(s string) bool {
	matches, _ := p.Try(s)
	return matches
}

// Try is Match that also tells whether the answer is known. It is not when the
// pattern has backreferences, or counts that are out of all proportion, and s leads
// to more attempts than package ecma makes; then matches is false.
func (p *Pattern) Try(s string) (matches, known bool) {
	p.once.Do(p.compile)
	if p.re == nil {
		return true, true
	}
	r := p.re.Match(s)
	return r == ecma.Matches, r != ecma.Unknown
}

// String returns the pattern as the schema has it.
func (p *Pattern) String() string { return p.source }

// Notes lists what of the pattern is not of ECMA-262 and was read as other
// languages have it, such as \A.
func (p *Pattern) Notes() []ecma.Note {
	p.once.Do(p.compile)
	if p.re == nil {
		return nil
	}
	return p.re.Notes()
}

func (p *Pattern) compile() {
	re, err := ecma.Compile(p.source)
	if e, ok := errors.AsType[*ecma.Error](err); ok {
		p.err = &PatternError{Pattern: p.source, Offset: e.Offset, Message: e.Message, Unsupported: e.Unsupported}
		return
	}
	p.re = re
}

// A PatternError says why a pattern cannot be used.
type PatternError struct {
	Pattern string
	Offset  int    // in bytes
	Message string // without the pattern and the offset
	// Unsupported tells a pattern that cannot be run here, such as one with an
	// escape of another language, from one that is broken.
	Unsupported bool
}

// Error returns the message with the pattern and the offset.
func (e *PatternError) Error() string {
	return "pattern " + strconv.Quote(e.Pattern) + ", offset " + strconv.Itoa(e.Offset) + ": " + e.Message
}
