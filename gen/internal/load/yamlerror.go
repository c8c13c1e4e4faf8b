package load

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// maxProbe is the size up to which a broken text is parsed again, in parts, to
// find the column that broke it. A larger one gets the parser's line.
const maxProbe = 4 << 20

var (
	linePrefix   = regexp.MustCompile(`^line (\d+): `)
	unknownAlias = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// yamlProblem is one failure of the YAML parser.
type yamlProblem struct {
	file *File
	src  string
	text string // without the line
	line int    // of the parser's message, as we count; 0 when it has none
}

// explainYAML says in our words, and with a column, why the parser refused src.
// The parser gives a line at best, and often that of the construct around the
// fault.
func explainYAML(file *File, src string, err error) *fault {
	p := &yamlProblem{file: file, src: src, text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := linePrefix.FindStringSubmatch(p.text); m != nil {
		p.text = p.text[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			c := newCursor(src)
			own, _ := c.place(n, 1)
			p.line = int(own)
		}
	}
	if m := unknownAlias.FindStringSubmatch(p.text); m != nil {
		return p.undefinedAlias(m[1])
	}
	switch p.text {
	case "did not find expected ',' or '}'", "did not find expected ',' or ']'":
		return p.flow()
	case "did not find expected node content":
		// Where a bracket is left open, that is why something is missing.
		if q := scanFlow(src); q.mismatch || len(q.open) > 0 {
			return p.flow()
		}
	case "found unexpected end of stream":
		if q := scanFlow(src); q.quote >= 0 {
			line, col := position(src[:q.quote])
			return unclosed(src[q.quote:q.quote+1], line, col, diag.Pos{}, "")
		}
	case "could not find expected ':'":
		return p.missingColon()
	}
	if strings.HasPrefix(p.text, "exceeded max depth") {
		line, col := p.locate()
		return tooDeep(line, col)
	}
	return p.other()
}

// unclosed says that what opens at line, col is never closed, and where parsing
// stopped, if that is known.
func unclosed(open string, line, col int32, stop diag.Pos, why string) *fault {
	closer := map[string]string{"{": "}", "[": "]"}[open]
	f := &fault{line: line, col: col, code: "unclosed"}
	if closer == "" {
		f.message = fmt.Sprintf("the string that opens here with %s is never closed", open)
		return f
	}
	f.message = fmt.Sprintf("the %q is never closed: %q is missing", open, closer)
	if stop.IsValid() {
		f.message = fmt.Sprintf("the %q is never closed: %q is missing before line %d, column %d", open, closer, stop.Line, stop.Col)
		f.related = []diag.Related{{Pos: stop, Message: why}}
	}
	return f
}

func (p *yamlProblem) undefinedAlias(name string) *fault {
	line, col := p.locate()
	// The probe stops at the last character of the alias.
	if col -= int32(utf8.RuneCountInString(name)); col < 1 {
		col = 1
	}
	f := &fault{
		line: line, col: col, code: "undefined-alias",
		message: fmt.Sprintf("alias *%s is not defined: no anchor &%s stands before it", clip(name), clip(name)),
	}
	if name, ok := diag.Nearest(name, anchorNames(p.src)); ok {
		f.hint = fmt.Sprintf("did you mean *%s?", name)
	} else {
		f.hint = `quote the value if "*" is meant as text`
	}
	return f
}

var anchorPattern = regexp.MustCompile(`&([^\s,\[\]{}&]{1,64})`)

func anchorNames(src string) []string {
	var names []string
	for _, m := range anchorPattern.FindAllStringSubmatch(src, 1000) {
		names = append(names, m[1])
	}
	return names
}

// flow explains what is wrong inside brackets.
func (p *yamlProblem) flow() *fault {
	q := scanFlow(p.src)
	switch {
	case q.mismatch:
		line, col := position(p.src[:q.stop])
		open := q.open[len(q.open)-1]
		openLine, openCol := position(p.src[:open])
		return &fault{
			line: line, col: col, code: "yaml-syntax",
			message: fmt.Sprintf("%q closes the %q of line %d", p.src[q.stop:q.stop+1], p.src[open:open+1], openLine),
			related: []diag.Related{{Pos: p.file.pos(openLine, openCol), Message: "opened here"}},
		}
	case len(q.open) > 0:
		open := q.open[len(q.open)-1]
		line, col := position(p.src[:open])
		stopLine, stopCol := position(p.src[:q.stop])
		return unclosed(p.src[open:open+1], line, col, p.file.pos(stopLine, stopCol), "parsing stopped here")
	}
	// The brackets fit, so something else is there where one entry ends.
	line, col := p.probe(scanFlow)
	return &fault{
		line: line, col: col, code: "yaml-syntax",
		message: `expected "," or the closing bracket here`,
		hint:    "separate entries by a comma; quote text that holds brackets, commas or quotes",
	}
}

func (p *yamlProblem) missingColon() *fault {
	line, col := p.locate()
	if p.line > 0 {
		line, col = int32(p.line), firstColumn(p.src, p.line)
	}
	return &fault{
		line: line, col: col, code: "yaml-syntax",
		message: `expected ":" after this key`,
		hint:    "a line of text that belongs to the value above must be indented more than its key",
	}
}

// firstColumn returns the column of the first character of a line that is no space.
func firstColumn(src string, line int) int32 {
	lines := diag.SplitLines(src)
	if line > len(lines) {
		return 1
	}
	text := lines[line-1]
	return int32(len(text)-len(strings.TrimLeft(text, " "))) + 1
}

// yamlWords translates what the parser says into what an author can act on.
var yamlWords = map[string][2]string{
	"mapping values are not allowed in this context": {
		`a ":" is not allowed here: a key stands at the start of a line`, `quote the text if the ":" belongs to it`,
	},
	"block sequence entries are not allowed in this context": {
		`a list entry "-" is not allowed here`, `start the list on a new line, or quote the text if the "-" belongs to it`,
	},
	"mapping keys are not allowed in this context": {
		"a key is not allowed here", "check the indentation of this line and of the one above",
	},
	"did not find expected key": {
		"this fits neither the mapping above it nor one around it", "check the indentation, and the quotes of the value before",
	},
	"did not find expected '-' indicator": {
		"this fits neither the list above it nor a structure around it", "check the indentation",
	},
	"did not find expected node content": {
		"expected a value here", "quote text that starts with a character special to YAML",
	},
	"did not find expected <document start>": {
		"the document ends before this, but more text follows", "check the indentation and the closing brackets",
	},
	"found character that cannot start any token": {
		"a value cannot start with this character", "quote the text; use spaces, not tabs, to indent",
	},
	"found unknown escape character": {
		"strings in double quotes have no such escape sequence", `write "\\" for a backslash, or use single quotes`,
	},
	"found a tab character that violates indentation": {
		"a tab cannot indent", "indent with spaces",
	},
	"found a tab character where an indentation space is expected": {
		"a tab cannot indent", "indent with spaces",
	},
	"found unexpected document indicator": {
		"the string is not closed before the end of the document", "add the closing quote",
	},
	"found undefined tag handle": {
		"the prefix of this tag is not declared", `quote the text if the "!" belongs to it`,
	},
	"did not find expected hexdecimal number": {
		"the escape sequence needs hexadecimal digits", `write "\\" for a backslash, or use single quotes`,
	},
}

func (p *yamlProblem) other() *fault {
	line, col := p.locate()
	f := &fault{line: line, col: col, code: "yaml-syntax"}
	if words, ok := yamlWords[p.text]; ok {
		f.message, f.hint = words[0], words[1]
	} else {
		f.message = "this is no valid YAML: " + clip(p.text)
	}
	return f
}

// locate returns the character at which the parser fails.
func (p *yamlProblem) locate() (line, col int32) { return p.probe(nil) }

// probe finds the shortest start of the text that fails in the same way; its
// last character is where the fault is. With scan, a start is completed by the
// closing brackets that it lacks, as otherwise every start would fail alike.
func (p *yamlProblem) probe(scan func(string) flowScan) (line, col int32) {
	if len(p.src) > maxProbe {
		return int32(max(p.line, 1)), 1
	}
	fails := func(end int) bool {
		text := p.src[:end]
		if scan != nil {
			text += scan(text).closers(text)
		}
		_, err := parseYAML(text)
		return err != nil && p.same(err)
	}
	starts := lineStarts(p.src)
	// Of all lines, then of all characters of that one.
	i := search(len(starts)-1, func(i int) bool { return fails(starts[i+1]) })
	from, to := starts[i], starts[i+1]
	text := p.src[from:to]
	count := utf8.RuneCountInString(text)
	ends := make([]int, 0, count+1)
	for at := range text {
		ends = append(ends, from+at)
	}
	ends = append(ends, to)
	j := search(count, func(j int) bool { return fails(ends[j+1]) })
	if strings.TrimSpace(p.src[ends[j]:ends[j+1]]) == "" {
		// Only the end of the line shows the fault: the line is at fault.
		return int32(i) + 1, firstColumn(p.src, i+1)
	}
	return int32(i) + 1, int32(j) + 1
}

// same reports whether err is the failure that p is about. The line is left out:
// it names a construct around the fault.
func (p *yamlProblem) same(err error) bool {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return linePrefix.ReplaceAllString(text, "") == p.text
}

// search is sort.Search for a condition known to hold at the end: it returns a
// number below n, or 0 when n is 0.
func search(n int, holds func(int) bool) int {
	low, high := 0, max(n-1, 0)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if holds(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// lineStarts returns the offset of each line and, last, of the end.
func lineStarts(src string) []int {
	starts := []int{0}
	for i := range len(src) {
		if src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	if starts[len(starts)-1] != len(src) || len(starts) == 1 {
		starts = append(starts, len(src))
	}
	return starts
}
