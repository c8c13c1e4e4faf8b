// Package ecma runs regular expressions of ECMA-262, as JSON Schema asks for in
// pattern and patternProperties: with the u flag, over the code points of a
// string, not anchored, and with a yes or no as the only result.
//
// The whole grammar is there: lookahead and lookbehind, backreferences by number
// and by name, Unicode properties, modifiers. Where the u flag refuses a pattern,
// the legacy syntax of annex B is read for the part that it refuses, since
// documents are full of `\_`, `[\w-.]` and braces that stand for themselves.
//
// # Time and memory
//
// A pattern without backreferences runs as a set of states that moves over the
// text once, and once more for each lookaround: time is proportional to the
// length of the text, `(a+)+$` included, and nothing is undone. Repeat counts of
// one character, such as [0-9a-f]{0,65535}, cost no more than a star. A pattern
// with backreferences, or with counts whose states would not fit, is searched by
// backtracking. Both stop after a number of steps that grows with the length of
// the text (see [Regexp.Match]) and then answer [Unknown].
package ecma
