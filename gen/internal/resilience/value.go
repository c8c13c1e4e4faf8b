package resilience

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// day is the unit that the language has and Go's durations have not.
const day = 24 * time.Hour

// parseDuration reads a duration of the language: Go's form, with days in front
// where they are wanted, as in 1d12h. The second result says what is wrong with
// it, and is empty when all is well.
func parseDuration(text string) (time.Duration, string) {
	if !strings.ContainsAny(text, "hmsdnuµμ") && isNumber(text) {
		return 0, "has no unit"
	}
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		if _, bad := parseDuration(rest); bad == "" {
			return 0, "is negative"
		}
		return 0, "is no duration"
	}
	var days time.Duration
	if head, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.ParseFloat(head, 64)
		if err != nil || !plainNumber(head) {
			return 0, "is no duration"
		}
		if n *= float64(day); n >= math.MaxInt64 {
			return 0, "is out of range"
		}
		if days = time.Duration(math.Round(n)); rest == "" {
			return days, ""
		}
		text = rest
	}
	// Go reads a 0 without a unit, which 1d0 would end in.
	if text == "" || text == "0" || !(text[0] >= '0' && text[0] <= '9' || text[0] == '.') {
		return 0, "is no duration"
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "time: invalid duration"):
		// Go has one message for what is broken and for what is too large.
		if wellFormed(text) {
			return 0, "is out of range"
		}
		return 0, "is no duration"
	case err != nil:
		return 0, "is no duration"
	case days > math.MaxInt64-d:
		return 0, "is out of range"
	}
	return days + d, ""
}

// wellFormed reports whether text is numbers with units, however large.
func wellFormed(text string) bool {
	for text != "" {
		n := 0
		for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
			n++
		}
		if n == 0 || !plainNumber(text[:n]) {
			return false
		}
		text = text[n:]
		found := false
		for _, unit := range []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h"} {
			if rest, ok := strings.CutPrefix(text, unit); ok && (rest == "" || rest[0] == '.' || rest[0] >= '0' && rest[0] <= '9') {
				text, found = rest, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// isNumber reports whether text is a number as YAML or JSON would read it.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// plainNumber reports whether text is digits with one dot at most.
func plainNumber(text string) bool {
	digits, dots := 0, 0
	for i := range len(text) {
		switch {
		case text[i] >= '0' && text[i] <= '9':
			digits++
		case text[i] == '.':
			dots++
		default:
			return false
		}
	}
	return digits > 0 && dots <= 1
}

// units of sizes, the longer ones first so that MiB is not read as B.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"B", 1},
}

// parseSize reads a size such as 64MiB in bytes; false when it is none.
func parseSize(text string) (int64, bool) {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		if !plainNumber(number) {
			return 0, false
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || n*float64(u.bytes) >= 1<<53 {
			return 0, false
		}
		return int64(n * float64(u.bytes)), true
	}
	return 0, false
}

// parseStatuses reads a status or a range such as 5xx; both ends included.
func parseStatuses(text string) (low, high int, ok bool) {
	if len(text) != 3 || text[0] < '1' || text[0] > '5' {
		return 0, 0, false
	}
	if strings.EqualFold(text[1:], "xx") {
		low = int(text[0]-'0') * 100
		return low, low + 99, true
	}
	n, err := strconv.Atoi(text)
	return n, n, err == nil
}

// maxShown bounds text of a document in a message.
const maxShown = 60

// shown is text of a document, cut where it is long.
func shown(text string) string {
	if len(text) <= maxShown || utf8.RuneCountInString(text) <= maxShown {
		return strconv.Quote(text)
	}
	return strconv.Quote(string([]rune(text)[:maxShown])) + "…"
}

// found says what stands at a node: "abc", the number 5, true, null, a list.
func found(n *load.Node) string {
	text, scalar := n.Written()
	switch {
	case n == nil:
		return "nothing"
	case n.Kind == load.String:
		return "the text " + shown(n.Text)
	case n.Kind == load.Null:
		return "null"
	case n.Kind == load.Number:
		return "the number " + cut(text)
	case scalar:
		return text
	}
	return "a " + n.KindName()
}

func cut(text string) string {
	if len(text) > maxShown {
		return text[:maxShown] + "…"
	}
	return text
}

// either lists words as "a, b or c".
func either(words []string) string {
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// and lists words as "a, b and c".
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// several lists at most a handful of names, and counts the rest.
func several(names []string) string {
	const most = 5
	if len(names) <= most {
		return and(names)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
