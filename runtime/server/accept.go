package server

import (
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
)

// preferred is the index of the offer with the highest quality in the lines of an
// Accept header, the first of equals; -1 where none is acceptable. Without a header
// everything is.
func preferred(lines, offers []string) int {
	if len(offers) == 0 {
		return -1
	}
	if len(lines) == 0 {
		return 0
	}
	if len(lines) == 1 && (lines[0] == offers[0] || lines[0] == "*/*") {
		return 0 // what most clients send
	}
	best, most := -1, 0
	some := false
	for i, offer := range offers {
		q, known := quality(lines, offer)
		some = some || known
		if q > most {
			best, most = i, q
		}
	}
	if !some && !anyRange(lines) {
		return 0 // an empty header says nothing
	}
	return best
}

// anyRange reports whether the header holds anything at all.
func anyRange(lines []string) bool {
	for _, line := range lines {
		if strings.Trim(line, " \t,") != "" {
			return true
		}
	}
	return false
}

// quality is the weight, in thousandths, that a header gives a media type: that of
// the most specific range that covers it. An offer that is a range itself is taken
// where the header names something in it.
func quality(lines []string, offer string) (q int, known bool) {
	rank := -1
	for _, line := range lines {
		for rest, more := line, true; more; {
			var one string
			one, rest, more = strings.Cut(rest, ",")
			r := rangeRank(one)
			if r <= rank || !content.Match(one, offer) && !content.Match(offer, one) {
				continue
			}
			rank, q, known = r, weight(one), true
		}
	}
	return q, known
}

// rangeRank orders ranges by how specific they are.
func rangeRank(mediaRange string) int {
	bare := content.Bare(mediaRange)
	switch {
	case strings.HasPrefix(bare, "*"):
		return 0
	case strings.HasSuffix(bare, "/*"):
		return 1
	}
	return 2
}

// weight is the q of a range, in thousandths. One that cannot be read counts as 1,
// for refusing over it would help nobody.
func weight(mediaRange string) int {
	_, params, _ := strings.Cut(mediaRange, ";")
	for params != "" {
		var p string
		p, params, _ = strings.Cut(params, ";")
		name, value, _ := strings.Cut(p, "=")
		if name = strings.Trim(name, " \t"); name != "q" && name != "Q" {
			continue
		}
		return thousandths(strings.Trim(value, " \t"))
	}
	return 1000
}

// thousandths reads a qvalue of RFC 9110, 12.4.2.
func thousandths(s string) int {
	if s == "" || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' || len(s) > 5 {
		return 1000
	}
	n := int(s[0]-'0') * 1000
	unit := 100
	for i := 2; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 1000
		}
		n += int(s[i]-'0') * unit
		unit /= 10
	}
	return min(n, 1000)
}
