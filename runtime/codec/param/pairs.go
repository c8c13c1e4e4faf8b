package param

import (
	"cmp"
	"slices"
	"strings"
)

// MaxPairs bounds the pairs of one query, form or Cookie header.
const MaxPairs = 10_000

// Pairs are the names and values of a query, a urlencoded form or the cookies
// of a request. Values stay as they came until a codec reads them. The zero
// Pairs is empty. Reading from several goroutines is safe.
type Pairs struct {
	place    place
	list     []pair // by name, those of one name in the order they came
	reserved []string
}

// pair is a decoded name and a value that is still escaped.
type pair struct{ name, raw string }

// ParseQuery splits a raw query, as it is in URL.RawQuery. Only & separates.
// It fails when there are more than MaxPairs.
func ParseQuery(raw string) (*Pairs, error) { return parsePairs(inQuery, raw) }

// ResetQuery makes p the pairs of another raw query, as ParseQuery does, in the room
// that it has.
func (p *Pairs) ResetQuery(raw string) error {
	clear(p.list)
	*p = Pairs{place: inQuery, list: p.list[:0]}
	return p.parse(raw)
}

// ParseForm splits a urlencoded body.
func ParseForm(body string) (*Pairs, error) { return parsePairs(inForm, body) }

func parsePairs(place place, raw string) (*Pairs, error) {
	p := &Pairs{place: place}
	err := p.parse(raw)
	return p, err
}

// parse splits raw into the list, which is empty.
func (p *Pairs) parse(raw string) error {
	if raw == "" {
		return nil
	}
	n := strings.Count(raw, "&") + 1
	if n > MaxPairs {
		return fail("maxItems", "has too many parameters")
	}
	if n > cap(p.list) {
		p.list = make([]pair, 0, n)
	}
	for rest, more := raw, true; more; {
		var one string
		one, rest, more = strings.Cut(rest, "&")
		if one == "" {
			continue
		}
		name, value, _ := strings.Cut(one, "=")
		// A name that cannot be decoded is nobody's.
		if decoded, err := unescape(name, true); err == nil {
			name = decoded
		}
		p.list = append(p.list, pair{name, value})
	}
	p.sort()
	return nil
}

// ParseCookies splits the Cookie header's lines. Values are taken as they are,
// without quotation marks around them; names are compared exactly.
func ParseCookies(lines []string) (*Pairs, error) {
	p := &Pairs{place: inCookie}
	for _, line := range lines {
		if len(p.list)+strings.Count(line, ";")+1 > MaxPairs {
			return p, fail("maxItems", "has too many cookies")
		}
		for rest, more := line, true; more; {
			var one string
			one, rest, more = strings.Cut(rest, ";")
			name, value, ok := strings.Cut(strings.Trim(one, " \t"), "=")
			if !ok {
				continue
			}
			if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
				value = value[1 : n-1]
			}
			p.list = append(p.list, pair{name, value})
		}
	}
	p.sort()
	return p, nil
}

// fewPairs is up to how many pairs are sorted by insertion and looked for in turn.
const fewPairs = 12

func (p *Pairs) sort() {
	if len(p.list) > fewPairs {
		slices.SortStableFunc(p.list, func(a, b pair) int { return cmp.Compare(a.name, b.name) })
		return
	}
	for i := 1; i < len(p.list); i++ {
		for j := i; j > 0 && p.list[j].name < p.list[j-1].name; j-- {
			p.list[j], p.list[j-1] = p.list[j-1], p.list[j]
		}
	}
}

// Reserve names parameters that are declared apart, so that an object with
// unknown members, laid out as form with explode, does not take them. It is
// not safe while others read.
func (p *Pairs) Reserve(names ...string) { p.reserved = append(p.reserved, names...) }

// Has reports whether there is a pair of this name.
func (p *Pairs) Has(name string) bool { return len(p.named(name)) > 0 }

// Raw is the parameter of a name. The result is absent, which a codec reports
// as ErrAbsent, when there is none.
func (p *Pairs) Raw(name string, style Style) Raw {
	if p == nil {
		return Raw{}
	}
	style = style.layout(p.place)
	r := Raw{place: p.place, style: style, name: name, pairs: p, key: name}
	return r.with(p.named(name))
}

// with is r with the values of these pairs.
func (r Raw) with(found []pair) Raw {
	r.n = len(found)
	switch r.n {
	case 0:
	case 1:
		r.text = found[0].raw
	default:
		r.text = found[0].raw
		r.several = found
	}
	return r
}

// named are the pairs of one name.
func (p *Pairs) named(name string) []pair {
	low, found := p.find(name)
	if !found {
		return nil
	}
	high := low + 1
	for high < len(p.list) && p.list[high].name == name {
		high++
	}
	return p.list[low:high]
}

// find is where the first pair of a name stands.
func (p *Pairs) find(name string) (int, bool) {
	if len(p.list) > fewPairs {
		return slices.BinarySearchFunc(p.list, name, func(e pair, name string) int { return cmp.Compare(e.name, name) })
	}
	for i := range p.list {
		if p.list[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// below are the pairs whose names begin with prefix, which is longer than "".
func (p *Pairs) below(prefix string) []pair {
	low, _ := slices.BinarySearchFunc(p.list, prefix, func(e pair, name string) int { return cmp.Compare(e.name, name) })
	high := low
	for high < len(p.list) && strings.HasPrefix(p.list[high].name, prefix) {
		high++
	}
	return p.list[low:high]
}

// isReserved reports whether a name, or what it would be a member of, was
// reserved.
func (p *Pairs) isReserved(name string) bool {
	for _, r := range p.reserved {
		if rest, ok := strings.CutPrefix(name, r); ok && (rest == "" || rest[0] == '[') {
			return true
		}
	}
	return false
}
