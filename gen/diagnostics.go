package gen

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Diagnostic is one finding about a document: position, weight, rule, message
// and hint.
type Diagnostic = diag.Diagnostic

// Pos is a place in a file.
type Pos = diag.Pos

// The severities of a [Diagnostic].
const (
	Error   = diag.Error
	Warning = diag.Warning
	Note    = diag.Note
)

// TextOptions sets how [WriteText] renders; the zero value suits a pipe.
type TextOptions struct {
	Color    bool // ANSI colours
	Excerpts bool // the line of the source below each position
	Width    int  // of the terminal, in columns; 0 means a common one
}

// WriteText writes the diagnostics for people, as "file:line:col: message". All
// text from the document is escaped, so that it cannot drive a terminal.
func WriteText(w io.Writer, ds []Diagnostic, opt TextOptions) error {
	o := diag.Options{Color: opt.Color, Width: opt.Width}
	if opt.Excerpts {
		o.Excerpt = diag.SourceLines(maxExcerpt)
	}
	return diag.WriteText(w, ds, o)
}

// WriteJSON writes the diagnostics and changes of the outputs as one JSON
// object:
//
//	{"diagnostics": […], "errors": 0, "warnings": 1,
//	 "files": [{"path": "api/client.go", "op": "create"}]}
//
// The fields of a diagnostic are severity, code, file, line, column, pointer,
// message, hint, repair and related; those without a value are left out. The
// slice dirs names the output folder of each output. Extra diagnostics, which
// belong to no output, come last.
func WriteJSON(w io.Writer, outputs []*Output, dirs []string, extra ...Diagnostic) error {
	type file struct {
		Path string `json:"path"`
		Op   string `json:"op"`
	}
	report := struct {
		Diagnostics json.RawMessage `json:"diagnostics"`
		Errors      int             `json:"errors"`
		Warnings    int             `json:"warnings"`
		Files       []file          `json:"files"`
	}{Files: []file{}}
	var all []Diagnostic
	for i, o := range outputs {
		all = append(all, o.Diagnostics...)
		for _, c := range o.Changes {
			report.Files = append(report.Files, file{filepath.ToSlash(filepath.Join(dirs[i], filepath.FromSlash(c.Path))), c.Op.String()})
		}
	}
	var b bytes.Buffer
	if err := diag.WriteJSON(&b, append(all, extra...), diag.Options{}); err != nil {
		return err
	}
	if err := json.Unmarshal(b.Bytes(), &report); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}

// Escape returns text from outside with everything that could drive a terminal
// made visible.
func Escape(s string) string { return diag.Escape(s) }

// Nearest returns the candidate of which word is probably a misspelling, for
// hints in messages.
func Nearest(word string, candidates []string) (string, bool) {
	return diag.Nearest(word, candidates)
}

// maxExcerpt bounds what is read again of a file for its excerpts.
const maxExcerpt = 64 << 20

// shownPath is an absolute path as a user in the current folder would write it.
func shownPath(abs string) string {
	cwd, err := os.Getwd()
	if err != nil {
		return abs
	}
	rel, err := filepath.Rel(cwd, abs)
	if err != nil || strings.Count(filepath.ToSlash(rel), "../") > 4 {
		return abs
	}
	return rel
}
