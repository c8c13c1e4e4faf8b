package load

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/hostile"
)

func inUTF16(text string, order binary.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// What is no UTF-8, or no text at all, is one error that says what it is; what only
// has other line ends or a mark at its start is read.
func TestEncodings(t *testing.T) {
	const text = "openapi: 3.1.0\ninfo: {title: é, version: '1'}\npaths: {}\n"
	const object = `{"openapi": "3.1.0", "info": {"title": "é", "version": "1"}, "paths": {}}`
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"plain":              {text, true},
		"CRLF":               {strings.ReplaceAll(text, "\n", "\r\n"), true},
		"CR":                 {strings.ReplaceAll(text, "\n", "\r"), true},
		"mark":               {"\xef\xbb\xbf" + text, true},
		"mark in JSON":       {"\xef\xbb\xbf" + object, true},
		"CRLF in JSON":       {strings.ReplaceAll(object, ", ", ",\r\n"), true},
		"UTF-16 LE":          {inUTF16(text, binary.LittleEndian, true), false},
		"UTF-16 BE":          {inUTF16(text, binary.BigEndian, true), false},
		"UTF-16 LE unmarked": {inUTF16(text, binary.LittleEndian, false), false},
		"UTF-16 BE unmarked": {inUTF16(object, binary.BigEndian, false), false},
		"NUL":                {text + "x-a: a\x00b\n", false},
		"NUL first":          {"\x00" + text, false},
		"NUL only":           {strings.Repeat("\x00", 1000), false},
		"NUL in JSON":        {object[:len(object)-1] + ", \"a\x00\": 1}", false},
		"broken UTF-8":       {text + "x-a: \xff\n", false},
		"overlong UTF-8":     {text + "x-a: \xc0\x80\n", false},
		"surrogate":          {text + "x-a: \xed\xa0\x80\n", false},
		"cut UTF-8":          {text + "x-a: \xe2\x82", false},
		"broken in JSON":     {object[:len(object)-1] + ", \"\xff\": 1}", false},
		"nothing":            {"", false},
		"binary":             {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"a.yaml", "a.json"} {
				var l diag.List
				f := Parse(file, []byte(c.text), &l)
				if good := f != nil && !l.HasErrors(); good != c.good {
					t.Errorf("%s: read: %v, want %v: %s", file, good, c.good, show(&l))
				}
				if c.good && f != nil && (f.Root.Get("info").Get("title").Text != "é" || f.Root.Get("paths") == nil) {
					t.Errorf("%s: %s", file, f.Root.JSON())
				}
			}
		})
	}
}

// Line ends that only YAML 1.1 knows are none in positions, of errors neither.
func TestPositionsOfErrors(t *testing.T) {
	for text, want := range map[string]string{
		":\u2028\u20280": "t.yaml:1:1: ", ":\u0085\u00850": "t.yaml:1:1: ", ":\n\u2029\n0": "t.yaml:3:1: ", ":\n\n0": "t.yaml:3:1: ",
	} {
		var l diag.List
		if Parse("t.yaml", []byte(text), &l); !strings.HasPrefix(show(&l), want) {
			t.Errorf("%q: %s, want %s", text, show(&l), want)
		}
	}
}

// largeTexts have a part that is larger than any should be; all of them are read, or
// refused, within bounds.
func largeTexts() map[string]string {
	long := strings.Repeat("lorem ipsum ", 1<<20/12)
	key := strings.Repeat("k", 1<<20)
	var anchors, deepAliases strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&anchors, "a%d: &a%d {x: 1}\nb%d: *a%d\n", i, i, i, i)
	}
	deepAliases.WriteString("a0: &a0 {x: 1}\n")
	for i := range 900 {
		fmt.Fprintf(&deepAliases, "a%d: &a%d {x: *a%d}\n", i+1, i+1, i)
	}
	return map[string]string{
		"long plain scalar":   "a: " + long + "\n",
		"long quoted scalar":  "a: \"" + long + "\"\n",
		"long single quotes":  "a: '" + long + "'\n",
		"long escapes":        "a: \"" + strings.Repeat(`\u0041`, 1<<18) + "\"\n",
		"long block":          "a: |\n  " + strings.ReplaceAll(long, "ipsum ", "ipsum\n  ") + "\n",
		"long folded block":   "a: >\n  " + strings.ReplaceAll(long, "ipsum ", "ipsum\n  ") + "\n",
		"long key":            key + ": 1\n",
		"long keys":           strings.Repeat(key[:1<<17], 1) + "a: 1\n" + key[:1<<17] + "b: 1\n",
		"long quoted key":     "\"" + key + "\": 1\n",
		"long explicit key":   "? " + key + "\n: 1\n",
		"long JSON key":       "{\"" + key + "\": 1}",
		"long JSON string":    "{\"a\": \"" + long + "\"}",
		"long number":         "a: " + strings.Repeat("9", 1<<20) + "\n",
		"long JSON number":    "{\"a\": " + strings.Repeat("9", 1<<20) + "}",
		"long fraction":       "{\"a\": 0." + strings.Repeat("9", 1<<20) + "}",
		"large exponent":      "{\"a\": 1e999999999, \"b\": 1e-999999999, \"c\": 1e" + strings.Repeat("9", 1<<16) + "}",
		"large hexadecimal":   "a: 0x" + strings.Repeat("F", 1<<18) + "\n",
		"large octal":         "a: 0o" + strings.Repeat("7", 1<<18) + "\n",
		"sexagesimal":         "a: " + strings.Repeat("59:", 1<<16) + "59\n",
		"long anchor":         "a: &" + key + " 1\nb: *" + key + "\n",
		"long tag":            "a: !" + key + " 1\n",
		"long comment":        "a: 1 # " + long + "\n",
		"long line of spaces": "a:" + strings.Repeat(" ", 1<<20) + "1\n",
		"deep indentation":    "a:\n" + strings.Repeat(" ", 1<<20) + "b: 1\n",
		"tabs":                "a:\n" + strings.Repeat("\t", 1<<20) + "b: 1\n",
		"blank lines":         strings.Repeat("\n", 1<<20) + "a: 1\n",
		"alias of itself":     "a: &a *a\n",
		"holds itself":        "a: &a {b: *a}\n",
		"items of itself":     "a: &a [*a, *a, *a]\n",
		"merges itself":       "a: &a {<<: *a}\n",
		"merge of a merge":    "a: &a {<<: &b {<<: *a}}\n",
		"many anchors":        anchors.String(),
		"aliases of aliases":  deepAliases.String(),
		"same key":            strings.Repeat("a: 1\n", 100_000),
		"same JSON key":       "{" + strings.Repeat("\"a\":1,", 100_000) + "\"a\":1}",
		"many keys":           strings.Repeat("? a\n", 50_000),
		"deep mixture":        strings.Repeat("{a: [", 5_000) + strings.Repeat("]}", 5_000),
		"deep JSON objects":   strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"deep block maps":     deepBlock(2_000),
		"open braces":         strings.Repeat("{", 1<<20),
		"open block":          "a: |" + strings.Repeat("\n", 1<<20),
		"directives":          strings.Repeat("%YAML 1.2\n", 50_000) + "---\na: 1\n",
		"document ends":       "a: 1\n" + strings.Repeat("...\n", 100_000),
		"pointer with tildes": "a: {$ref: '#/" + strings.Repeat("~1", 1<<18) + "'}\n",
		"pointer of parts":    "a: {$ref: '#" + strings.Repeat("/a", 1<<18) + "'}\n",
	}
}

func deepBlock(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestLargeTexts(t *testing.T) {
	texts := largeTexts()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"a.yaml", "a.json"} {
				hostile.Guard(t, len(texts[name]), func() { parseAny(t, file, []byte(texts[name])) })
			}
		})
	}
}

// parseAny reads a text and holds the result against what others rely on.
func parseAny(t *testing.T, name string, text []byte) {
	t.Helper()
	var l diag.List
	file := Parse(name, text, &l)
	if file == nil {
		if !l.HasErrors() {
			t.Error("no tree and no error")
		}
		return
	}
	if _, err := standardJSON(string(file.Root.JSON())); err != nil {
		t.Errorf("JSON gives %v", err)
	}
	l.Sorted()
}

// Altered documents are read without a panic, and within bounds.
func TestMutatedTexts(t *testing.T) {
	docs := hostile.Documents(1<<17, "../../../testdata/specs", "../../../../shared/corpus/specs")
	if len(docs) == 0 {
		t.Fatal("there are no documents")
	}
	rounds := uint64(4)
	if testing.Short() {
		rounds = 1
	}
	paths := slices.Sorted(maps.Keys(docs))
	if len(paths) > 100 {
		paths = paths[:100]
	}
	for i, path := range paths {
		for seed := range rounds {
			text := hostile.Mutate(docs[path], seed*1000+uint64(i))
			hostile.Guard(t, len(text), func() { parseAny(t, path, text) })
			if t.Failed() {
				t.Fatalf("%s with seed %d", path, seed*1000+uint64(i))
			}
		}
	}
}

// FuzzMutated alters documents as seeds tell, and reads them with their references.
func FuzzMutated(f *testing.F) {
	docs := hostile.Documents(1<<16, "../../../testdata/specs", "../../../../shared/corpus/specs")
	paths := slices.Sorted(maps.Keys(docs))
	for i := range min(len(paths), 40) {
		f.Add(i, uint64(i))
	}
	f.Fuzz(func(t *testing.T, doc int, seed uint64) {
		if doc < 0 || doc >= len(paths) {
			return
		}
		text := hostile.Mutate(docs[paths[doc]], seed)
		hostile.Guard(t, len(text), func() {
			parseAny(t, paths[doc], text)
			d, l := loadAny(t, string(text))
			if d != nil {
				resolveAll(d, l)
			}
		})
	})
}

// loadAny is loadText for what may not be a document.
func loadAny(t *testing.T, text string) (*Document, *diag.List) {
	t.Helper()
	dir := write(t, "api.yaml", text)
	l := &diag.List{}
	return Load(context.Background(), Options{Path: filepath.Join(dir, "api.yaml")}, l), l
}
