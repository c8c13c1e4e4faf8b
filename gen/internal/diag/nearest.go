package diag

import (
	"strings"
	"unicode/utf8"
)

// maxNearest is the longest word, in bytes, that Nearest compares. Longer ones
// are hardly typing mistakes, and the work grows with the square of the length.
const maxNearest = 64

// Nearest returns the candidate that word is most likely a misspelling of: the
// one with the smallest Damerau-Levenshtein distance (adjacent characters
// swapped count as one edit), letter case counting little. It is false when
// none is near: about one edit for each three characters, three at most. Among
// equals the first in byte order wins, so the answer does not depend on the
// order of the candidates.
func Nearest(word string, candidates []string) (string, bool) {
	if word == "" || len(word) > maxNearest {
		return "", false
	}
	lower := []rune(strings.ToLower(word))
	limit := min(max(len(lower)/3, 1), 3)
	best, bestDist, found := "", 0, false
	for _, c := range candidates {
		if c == "" || c == word || len(c) > maxNearest {
			continue
		}
		if n := utf8.RuneCountInString(c) - len(lower); n > limit || -n > limit {
			continue
		}
		d := distance(lower, []rune(strings.ToLower(c)), limit)
		if d > limit {
			continue
		}
		if !found || d < bestDist || d == bestDist && c < best {
			best, bestDist, found = c, d, true
		}
	}
	return best, found
}

// distance returns the optimal string alignment distance of a and b, or
// something above limit as soon as that is certain. A one-letter word has no
// neighbours: replacing all of it is no misspelling.
func distance(a, b []rune, limit int) int {
	if len(a) == 1 && len(b) == 1 && a[0] != b[0] {
		return limit + 1
	}
	width := len(b) + 1
	rows := make([]int, 3*width)
	before, above, row := rows[:width], rows[width:2*width], rows[2*width:]
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		low := i
		for j := 1; j <= len(b); j++ {
			substitute := above[j-1]
			if a[i-1] != b[j-1] {
				substitute++
			}
			d := min(substitute, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			low = min(low, d)
		}
		// A transposition looks back two rows, so a single bad row is only
		// final when the one above it was bad as well.
		if low > limit && minOf(above) > limit {
			return limit + 1
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

func minOf(row []int) int {
	low := row[0]
	for _, v := range row[1:] {
		low = min(low, v)
	}
	return low
}
