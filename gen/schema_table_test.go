package gen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// departureFile lists the tests of the suite that generated code decides otherwise, each
// with the key of its reason. It is written by HOLDFAST_RECORD=1; a new departure needs
// a rule in departureOf.
const departureFile = "testdata/schema_departures.tsv"

// departureReasons say why generated code does not give the verdict of the suite. They
// are printed in README.md.
var departureReasons = map[string]string{
	"type": "A schema without `type` that has members is taken to be an object, one that has items an array, and one with " +
		"`contentEncoding` a text. Documents mean it so, and a Go struct could not hold anything else. `exactSchemas` takes any value.",
	"format": "`format` is checked, because documents mean it so; the suite has it as an annotation here " +
		"(the tests under `optional/format` have it checked).",
	"encoding": "`contentEncoding: base64` makes a `[]byte`, which no other text has a value of; to the suite it is an annotation.",
	"allof": "`additionalProperties` beside `allOf` is taken to be about what no part of the `allOf` declares, as documents " +
		"mean it; `exactSchemas` reads it to the letter.",
	"enum":    "`enum: []` refuses every value, and nobody means that: it is ignored, with a warning.",
	"int64":   "`type: integer` without a format is an `int64`. `format: bigint` takes integers of any size.",
	"draft":   "A custom metaschema, or an earlier draft, named by `$schema` changes nothing: documents are read as 2020-12.",
	"nowhere": "`$id` inside a keyword that JSON Schema does not know names nothing; it is not told from one that counts.",
	"leap":    "`time.Time` holds no leap second, and what cannot be decoded must not validate.",
	"partial": "Published documents use the format `time` for times without an offset.",
	"iso":     "Published documents name ISO 8601 for durations, which allows more than the appendix of RFC 3339.",
	"idn": "Labels of internationalised names are not decoded: the tables of IDNA are larger than the whole runtime. " +
		"`idn-email`, `idn-hostname`, `iri` and `iri-reference` are taken as they are.",
	"regex": "Flags at the start of a pattern and the named groups of Python stand in published documents, so they are understood.",
}

// departureOf finds the reason of a new departure; empty when there is none yet.
func departureOf(g *suiteGroup, i int) string {
	test, detail := g.Tests[i], ""
	if g.refused == "" {
		detail = g.detail[i]
	}
	mismatch := test.Valid && strings.Contains(detail, ": must be a") && strings.Contains(detail, ", is ")
	switch name := strings.TrimSuffix(g.file, ".json"); {
	case name == "vocabulary", name == "optional/cross-draft":
		return "draft"
	case mismatch && !strings.Contains(detail, "base64"):
		return "type"
	case name == "format":
		return "format"
	case name == "content":
		return "encoding"
	case name == "additionalProperties", name == "items":
		return "allof"
	case name == "enum" && g.Description == "empty enum":
		return "enum"
	case strings.Contains(detail, "64-bit integer"):
		return "int64"
	case name == "optional/unknownKeyword":
		return "nowhere"
	case strings.Contains(test.Description, "leap second"):
		return "leap"
	case name == "optional/format/time":
		return "partial"
	case name == "optional/format/duration":
		return "iso"
	case strings.HasPrefix(name, "optional/format/idn-"), strings.HasPrefix(name, "optional/format/iri"),
		name == "optional/format/hostname":
		return "idn"
	case name == "optional/format/ecmascript-regex":
		return "regex"
	}
	return ""
}

// departs reports whether generated code decides a test otherwise than the suite.
func (g *suiteGroup) departs(i int) bool { return g.refused != "" || g.valid[i] != g.Tests[i].Valid }

// holdDepartures holds the departures to those on the list: none more, and none less.
func holdDepartures(t *testing.T, results map[string][]*suiteGroup) {
	t.Helper()
	record := os.Getenv("HOLDFAST_RECORD") != ""
	known := readDepartures(t)
	got := map[string]string{}
	for _, mode := range suiteModes {
		for _, g := range results[mode] {
			for i := range g.Tests {
				id := mode + "\t" + g.id(i)
				reason, listed := known[id]
				switch {
				case !g.departs(i) && listed && !record:
					t.Errorf("%s passes: take it off the list", id)
				case g.departs(i) && (!listed || record):
					if reason = departureOf(g, i); reason == "" || !record {
						t.Errorf("%s: want valid %v of %s\n\tschema %s\n\t%s%s", id, g.Tests[i].Valid, g.Tests[i].Data, oneLine(g.Schema), g.refused, detailOf(g, i))
					}
					fallthrough
				case g.departs(i):
					got[id] = reason
				}
			}
		}
	}
	if !record {
		for id := range known {
			if _, ok := got[id]; !ok && !t.Failed() {
				t.Errorf("%s is on the list and not in the suite", id)
			}
		}
		return
	}
	var out bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(got)) {
		fmt.Fprintf(&out, "%s\t%s\n", got[id], id)
	}
	if err := os.WriteFile(departureFile, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func detailOf(g *suiteGroup, i int) string {
	if g.refused != "" {
		return ""
	}
	return g.detail[i]
}

func oneLine(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

func readDepartures(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(departureFile)
	if err != nil && os.Getenv("HOLDFAST_RECORD") == "" {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(data)) {
		reason, id, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if (!ok || departureReasons[reason] == "") && os.Getenv("HOLDFAST_RECORD") == "" {
			t.Fatalf("%s: no reason in %q", departureFile, line)
		}
		known[id] = reason
	}
	return known
}

// The table in README.md stands between these lines.
const (
	tableStart = "<!-- suite: written by HOLDFAST_RECORD=1 go test ./gen -run TestSchemaSuite -->\n"
	tableEnd   = "<!-- end of suite -->\n"
)

// holdTable holds the table in README.md to what was found.
func holdTable(t *testing.T, results map[string][]*suiteGroup) {
	t.Helper()
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(data), tableStart)
	table, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatal("README.md has no place for the table")
	}
	want := suiteTable(results, readDepartures(t))
	if table == want {
		return
	}
	if os.Getenv("HOLDFAST_RECORD") == "" {
		t.Errorf("the table in README.md is out of date:\n%s", want)
		return
	}
	if err := os.WriteFile("README.md", []byte(before+tableStart+want+tableEnd+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tally counts the tests of one file.
type tally struct {
	all, passed int
	reasons     map[string]int
}

func tallies(groups []*suiteGroup, mode string, known map[string]string) (files []string, byFile map[string]*tally) {
	byFile = map[string]*tally{}
	for _, g := range groups {
		c := byFile[g.file]
		if c == nil {
			c = &tally{reasons: map[string]int{}}
			byFile[g.file] = c
			files = append(files, g.file)
		}
		for i := range g.Tests {
			c.all++
			if g.departs(i) {
				c.reasons[known[mode+"\t"+g.id(i)]]++
			} else {
				c.passed++
			}
		}
	}
	return files, byFile
}

// suiteTable is the table: a row for each file of the suite, which is a keyword, sums,
// and the reasons.
func suiteTable(results map[string][]*suiteGroup, known map[string]string) string {
	files, byDefault := tallies(results["default"], "default", known)
	_, byExact := tallies(results["exact"], "exact", known)
	var b strings.Builder
	var used []string
	part := func(title string, in func(string) bool) {
		fmt.Fprintf(&b, "| %s | tests | pass | why the rest do not | pass with `exactSchemas` | why the rest do not |\n", title)
		b.WriteString("| --- | --- | --- | --- | --- | --- |\n")
		var sum, exact tally
		for _, f := range files {
			if !in(f) {
				continue
			}
			d, e := byDefault[f], byExact[f]
			sum.all, sum.passed, exact.passed = sum.all+d.all, sum.passed+d.passed, exact.passed+e.passed
			word := strings.TrimSuffix(f, ".json")
			fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %s |\n", word[strings.LastIndex(word, "/")+1:], d.all, d.passed, reasons(d, &used), e.passed, reasons(e, &used))
		}
		fmt.Fprintf(&b, "| **all** | **%d** | **%d** | | **%d** | |\n\n", sum.all, sum.passed, exact.passed)
	}
	part("keyword", func(f string) bool { return !strings.Contains(f, "/") })
	part("optional", func(f string) bool { return strings.Count(f, "/") == 1 })
	part("optional formats", func(f string) bool { return strings.Count(f, "/") == 2 })
	b.WriteString("The reasons:\n\n")
	slices.Sort(used)
	for _, key := range slices.Compact(used) {
		fmt.Fprintf(&b, "- **%s**: %s\n", key, departureReasons[key])
	}
	b.WriteString("\n")
	return b.String()
}

func reasons(c *tally, used *[]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(c.reasons)) {
		*used = append(*used, key)
		list = append(list, fmt.Sprintf("%s: %d", key, c.reasons[key]))
	}
	return strings.Join(list, ", ")
}
