package policyfile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// wrong is the message for a value that is not what is wanted.
func wrong(n *Node, want string) string { return n.found() + " does not fit: want " + want }

const wantDuration = "a Go duration such as 5s"

func duration(n *Node) string {
	if d, ok := spanOf(n); !ok || d == 0 {
		return wrong(n, wantDuration+" above zero")
	}
	return ""
}

func durationOrZero(n *Node) string {
	if _, ok := spanOf(n); !ok {
		return wrong(n, wantDuration)
	}
	return ""
}

func durationOr(word string) func(*Node) string {
	return func(n *Node) string {
		if n.Kind == String && n.Text == word {
			return ""
		}
		if duration(n) != "" {
			return wrong(n, wantDuration+", or "+word)
		}
		return ""
	}
}

func durationOrQuantile(n *Node) string {
	if _, ok := quantileOf(n); ok {
		return ""
	}
	if duration(n) != "" {
		return wrong(n, wantDuration+", or a percentile from p50 to p99 or p991 to p999")
	}
	return ""
}

// quantileOf reads a percentile as the document writes it.
func quantileOf(n *Node) (float64, bool) {
	if n.Kind != String {
		return 0, false
	}
	return policy.ParseQuantile(n.Text)
}

// spanOf reads a duration in Go's form, with days (1d12h) as well. It is false for
// what is none, is negative or is too long to be held.
func spanOf(n *Node) (time.Duration, bool) {
	text := n.Text
	if n.Kind != String || text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	var days time.Duration
	if head, rest, ok := strings.Cut(text, "d"); ok {
		v, err := strconv.ParseFloat(head, 64)
		if v *= float64(24 * time.Hour); err != nil || strings.Trim(head, "0123456789.") != "" || v >= math.MaxInt64 {
			return 0, false
		}
		if days = time.Duration(math.Round(v)); rest == "" {
			return days, true
		}
		if rest[0] == '-' || rest[0] == '+' {
			return 0, false
		}
		text = rest
	}
	d, err := time.ParseDuration(text)
	if err != nil || text == "0" || d < 0 || d > math.MaxInt64-days {
		return 0, false
	}
	return days + d, true
}

func integer(low, high int) func(*Node) string {
	return func(n *Node) string {
		if v, ok := intOf(n); !ok || v < low || v > high {
			return wrong(n, fmt.Sprintf("a whole number from %d to %d", low, high))
		}
		return ""
	}
}

// intOf reads a whole number in any of JSON's forms: 5, 5.0, 5e0.
func intOf(n *Node) (int, bool) {
	v, ok := floatOf(n)
	if !ok || v != math.Trunc(v) || math.Abs(v) > manyUnits {
		return 0, false
	}
	return int(v), true
}

func floatOf(n *Node) (float64, bool) {
	if n.Kind != Number {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	return v, err == nil
}

// decimal is a number, both ends included unless above says that the lower one is not.
func decimal(low, high float64, above bool) func(*Node) string {
	return func(n *Node) string {
		v, ok := floatOf(n)
		switch {
		case ok && v >= low && v <= high && !(above && v == low):
			return ""
		case above:
			return wrong(n, fmt.Sprintf("a number above %v and up to %v", low, high))
		}
		return wrong(n, fmt.Sprintf("a number from %v to %v", low, high))
	}
}

func flag(n *Node) string {
	if n.Kind != Bool {
		return wrong(n, "true or false")
	}
	return ""
}

func oneOf(words ...string) func(*Node) string {
	return func(n *Node) string {
		if n.Kind == String && slices.Contains(words, n.Text) {
			return ""
		}
		return n.found() + " does not fit" + nearest(n.Text, words) + " want one of " + strings.Join(words, ", ")
	}
}

// listOf is a list of words.
func listOf(words ...string) func(*Node) string {
	one := oneOf(words...)
	return func(n *Node) string {
		if n.Kind != List {
			return wrong(n, "a list of "+strings.Join(words, ", "))
		}
		for _, item := range n.Items {
			if bad := one(item); bad != "" {
				return bad
			}
		}
		return ""
	}
}

func statusList(n *Node) string {
	const want = "a list of statuses such as 503 and 5xx"
	if n.Kind != List {
		return wrong(n, want)
	}
	for _, item := range n.Items {
		if _, _, ok := statusOf(item); !ok {
			return wrong(item, want)
		}
	}
	return ""
}

// statusOf reads a status or a range such as 5xx, both ends included.
func statusOf(n *Node) (low, high int, ok bool) {
	text := n.Text
	if len(text) != 3 || text[0] < '1' || text[0] > '5' || n.Kind != Number && n.Kind != String {
		return 0, 0, false
	}
	if strings.EqualFold(text[1:], "xx") {
		low = int(text[0]-'0') * 100
		return low, low + 99, true
	}
	v, err := strconv.Atoi(text)
	return v, v, err == nil && v >= 100
}

func statusesOf(n *Node) policy.Statuses {
	var s policy.Statuses
	for _, item := range n.Items {
		if low, high, ok := statusOf(item); ok {
			s = s.Range(low, high)
		}
	}
	return s
}

func size(n *Node) string {
	if v, ok := sizeOf(n); !ok || v == 0 {
		return wrong(n, "a size in B, KB, MB, KiB, MiB or GiB, such as 1MiB")
	}
	return ""
}

// units of sizes; a unit that another one ends in comes after it.
var units = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"B", 1}}

func sizeOf(n *Node) (int64, bool) {
	for _, u := range units {
		number, ok := strings.CutSuffix(n.Text, u.name)
		if n.Kind != String || !ok {
			continue
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || strings.Trim(number, "0123456789.") != "" || v*u.bytes >= 1<<53 {
			return 0, false
		}
		return int64(v * u.bytes), true
	}
	return 0, false
}
