package load

import (
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
	refs   *anchorIndex // built on first use
}

func (f *File) pos(line, col int32) diag.Pos {
	if f == nil {
		return diag.Pos{}
	}
	return diag.Pos{File: f.Name, Line: int(line), Col: int(col)}
}

type anchorIndex struct{}

// Source returns the text of the file, without a byte order mark.
func (f *File) Source() string { return f.source }

// Parse reads one file's data as JSON or YAML. Faults go to list; the result is
// nil when the text cannot be read as a tree at all.
func Parse(name string, data []byte, list *diag.List) *File { return nil }
