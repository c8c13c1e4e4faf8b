package load

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// File is one parsed source file.
type File struct {
	// Name is how users know the file: the path as given, relative ones kept
	// relative, or the URL.
	Name string
	// Path is the absolute path or URL that identifies the file; empty for a
	// file that came from Parse.
	Path string
	// Root is the value that the file holds.
	Root *Node

	source string
	url    *url.URL // of a remote file: what its references are relative to
	lines  []string
	ids    *identifiers // built on first use
	into   *File        // of an overlay: the file it was applied to
}

func (f *File) pos(line, col int32) diag.Pos {
	if f == nil {
		return diag.Pos{}
	}
	return diag.Pos{File: f.Name, Line: int(line), Col: int(col)}
}

// Source returns the text of the file, without a byte order mark.
func (f *File) Source() string { return f.source }

// Lines returns the lines of the file, split as positions count them. The first
// call is not for concurrent use.
func (f *File) Lines() []string {
	if f.lines == nil {
		f.lines = diag.SplitLines(f.source)
	}
	return f.lines
}

// Parse reads one file's data as JSON or YAML; the extension of the name only
// decides which of the two a broken text was meant to be. Faults go to list.
// The result is nil, and list has an error, when the text is no tree. A key
// defined twice is an error as well, but the tree stands, with the first value.
func Parse(name string, data []byte, list *diag.List) *File {
	f := &File{Name: name}
	if f.parse(data, maxNodes, list) == 0 {
		return nil
	}
	return f
}

// parse fills f from data and returns the number of values in the file, aliases
// counted as copies; 0 means failure.
func (f *File) parse(data []byte, limit int, list *diag.List) int {
	if bad := f.decode(data); bad != nil {
		bad.report(f, list)
		return 0
	}
	b := newBuilder(f, limit)
	root, bad := b.read(list)
	if bad != nil {
		bad.report(f, list)
		return 0
	}
	f.Root = root
	b.report(list)
	return b.count
}

// read reads the text in the format that it is in.
func (b *builder) read(list *diag.List) (*Node, *fault) {
	f := b.file
	ext := strings.ToLower(path.Ext(f.Name))
	named := ext == ".json"
	text := strings.TrimLeft(f.source, " \t\r\n")
	if text == "" {
		return nil, &fault{line: 1, col: 1, code: "empty-file", message: "the file is empty"}
	}
	if !named && text[0] != '{' && text[0] != '[' {
		return readYAML(b)
	}
	root, bad := readJSON(b)
	if bad == nil {
		return root, nil
	}
	// Flow-style YAML starts like JSON, and JSON with comments or trailing
	// commas is YAML. Bounds apply to both alike.
	if bad.code != "json-syntax" {
		return nil, bad
	}
	*b = *newBuilder(f, b.limit)
	root, badYAML := readYAML(b)
	switch {
	case badYAML == nil && named:
		list.Repair(f.pos(bad.line, bad.col), bad.code, "", "this is no valid JSON, read as YAML: %s", bad.message)
		return root, nil
	case badYAML == nil:
		return root, nil
	case named || ext != ".yaml" && ext != ".yml" && looksLikeJSON(text):
		return nil, bad
	default:
		return nil, badYAML
	}
}

// looksLikeJSON reports whether text that starts with a bracket goes on as JSON.
func looksLikeJSON(text string) bool {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	return rest != "" && strings.ContainsRune(`"{[`, rune(rest[0]))
}

// decode sets the source from data, which must be UTF-8.
func (f *File) decode(data []byte) *fault {
	switch {
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}), bytes.HasPrefix(data, []byte{0xff, 0xfe}),
		len(data) >= 2 && (data[0] == 0) != (data[1] == 0):
		return &fault{
			line: 1, col: 1, code: "encoding",
			message: "the file is in UTF-16 or UTF-32; documents must be in UTF-8",
			hint:    "convert it, for example with: iconv -f UTF-16 -t UTF-8",
		}
	case !utf8.Valid(data):
		return f.invalidUTF8(data)
	}
	f.source = strings.TrimPrefix(string(data), "\ufeff")
	return nil
}

func (f *File) invalidUTF8(data []byte) *fault {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	line, col := position(strings.TrimPrefix(string(data[:at]), "\ufeff"))
	return &fault{
		line: line, col: col, code: "encoding",
		message: fmt.Sprintf("the byte 0x%02x is no valid UTF-8", data[at]),
		hint:    "save the file in UTF-8",
	}
}

// position returns the place just after text.
func position(text string) (line, col int32) {
	line = 1
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return line, int32(utf8.RuneCountInString(text) + 1)
		}
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		text = text[i+1:]
		line++
	}
}
