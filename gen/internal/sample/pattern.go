package sample

import (
	"iter"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Bounds on the search for a text that patterns match.
const (
	maxRepeat  = 300 // repetitions of one part beyond those that must be
	randomRuns = 60  // texts with a random number of repetitions, each from a fixed seed
)

// matching finds the n-th text that fits one of the patterns and that good accepts.
// letter fills up around a pattern that is not anchored.
func matching(patterns []string, n int, good func(string) bool, letter string) (string, bool) {
	for _, p := range patterns {
		taken, asked := divide(p)
		re, err := syntax.Parse(ours(taken), syntax.Perl)
		if err != nil {
			continue
		}
		// What lookaheads ask for is put in front; as a rule it may stand anywhere.
		front := requested(asked, n)
		for s := range candidates(re.Simplify(), n, letter) {
			if good(s) {
				return s, true
			}
			if front != "" && good(front+s) {
				return front + s, true
			}
		}
	}
	return "", false
}

// candidates are texts that an expression matches, the shortest first.
func candidates(re *syntax.Regexp, n int, letter string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range maxRepeat {
			w := writer{n: n, extra: k}
			w.node(re)
			if !yield(w.String()) {
				return
			}
			if k == 0 {
				continue
			}
			plain := writer{n: n}
			plain.node(re)
			fill := strings.Repeat(letter, k)
			if s := plain.String(); !yield(s+fill) || !yield(fill+s) {
				return
			}
		}
		for k := range randomRuns {
			//nolint:gosec // the numbers choose letters, and have to be the same on each run
			w := writer{n: n, random: rand.New(rand.NewPCG(uint64(k), uint64(n)))}
			w.node(re)
			if !yield(w.String()) {
				return
			}
		}
	}
}

var escapes = regexp.MustCompile(`\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))`)

// ends are the ends of a text as other languages than Go write them; the first part keeps
// an escaped backslash out.
var ends = regexp.MustCompile(`(\\\\)|(\\)Z`)

// ours writes an expression of ECMA-262 the way Go does, as far as the two differ in
// what documents use. What it misses is found by checking the text that is made.
func ours(pattern string) string {
	pattern = escapes.ReplaceAllString(pattern, `\x{$1$2}`)
	return ends.ReplaceAllStringFunc(pattern, func(s string) string { return strings.Replace(s, `\Z`, `\z`, 1) })
}

// writer writes a text that an expression matches.
type writer struct {
	strings.Builder
	n      int        // which of the characters that would do
	extra  int        // repetitions that the first part that can be repeated gets
	random *rand.Rand // nil: everything else as rarely as it can be
}

func (w *writer) node(re *syntax.Regexp) {
	if w.Len() > maxText {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			w.WriteRune(r)
		}
	case syntax.OpCharClass:
		w.WriteRune(w.pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.WriteRune(w.pick([]rune{'a', 'z'}))
	case syntax.OpCapture:
		w.node(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			w.node(sub)
		}
	case syntax.OpAlternate:
		i := w.n % len(re.Sub)
		if w.random != nil {
			i = w.random.IntN(len(re.Sub))
		}
		w.node(re.Sub[i])
	case syntax.OpStar:
		w.repeat(re.Sub[0], 0, maxRepeat)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], 1, maxRepeat)
	case syntax.OpQuest:
		w.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = maxRepeat
		}
		w.repeat(re.Sub[0], re.Min, most)
	}
}

// repeat writes a part from least to most times.
func (w *writer) repeat(re *syntax.Regexp, least, most int) {
	times := least
	switch {
	case w.random != nil:
		times += w.random.IntN(min(max(most-least, 0), 8) + 1)
	case w.extra > 0:
		more := min(w.extra, max(most-least, 0))
		times += more
		w.extra -= more
	}
	for range times {
		w.node(re)
	}
}

// liked are the characters that read best in a sample.
var liked = []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ")

// pick takes a character of a class given as pairs of bounds.
func (w *writer) pick(class []rune) rune {
	in := func(r rune) bool {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= r && r <= class[i+1] {
				return true
			}
		}
		return false
	}
	var good []rune
	for _, r := range liked {
		if in(r) {
			good = append(good, r)
		}
	}
	// Different texts for different n, and letters in a row rather than one repeated.
	at := w.n + w.Len()
	if w.random != nil {
		at = w.random.IntN(1 << 16)
	}
	if len(good) > 0 {
		return good[at%len(good)]
	}
	for i := 0; i+1 < len(class); i += 2 {
		for r := class[i]; r <= class[i+1] && r < class[i]+256; r++ {
			if unicode.IsPrint(r) {
				good = append(good, r)
			}
		}
	}
	switch {
	case len(good) > 0:
		slices.Sort(good)
		return good[at%len(good)]
	case len(class) > 0:
		return class[0]
	}
	return 'a'
}
