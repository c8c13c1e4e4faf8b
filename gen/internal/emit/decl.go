package emit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// decl is one top-level declaration with what belongs to it.
type decl struct {
	key     string   // exported name that decides the file when the file is cut
	text    string   // Go, not formatted yet
	imports []string // as they stand in an import declaration
	tight   bool     // one line that needs no empty one between it and its like
}

// writer turns declarations into text, in a goroutine of its own: that is a third of
// what emitting takes.
type writer struct {
	pkg     string
	foreign map[string]string // as of emitter
	jobs    chan job
	done    chan struct{}
	over    bool
	faults  []error
	scratch bytes.Buffer // of the declaration being written
}

// job is a declaration that is to become text.
type job struct {
	file string
	d    *decl
	code []jen.Code
}

func newWriter(pkg string, foreign map[string]string) *writer {
	return &writer{pkg: pkg, foreign: foreign, done: make(chan struct{})}
}

// start begins to write.
func (w *writer) start() {
	const ahead = 64 // declarations that wait as trees
	w.jobs = make(chan job, ahead)
	go func() {
		defer close(w.done)
		for j := range w.jobs {
			if err := w.render(j.d, j.code); err != nil {
				w.faults = append(w.faults, fmt.Errorf("emit %s of %s.go: %w", j.d.key, j.file, err))
			}
		}
	}()
}

// write has a declaration written. It must not be looked at before close.
func (w *writer) write(file string, d *decl, code []jen.Code) {
	if w.jobs == nil {
		w.start()
	}
	w.jobs <- job{file, d, code}
}

// close waits until all is written, and tells what could not be.
func (w *writer) close() error {
	if w.jobs == nil {
		return nil
	}
	if !w.over {
		w.over = true
		close(w.jobs)
	}
	<-w.done
	return errors.Join(w.faults...)
}

// render writes declarations as Go. jennifer knows the imports of a whole file
// only, so each declaration is rendered as a file of its own and divided.
func (w *writer) render(d *decl, code []jen.Code) error {
	f := newFile(w.pkg, w.foreign)
	for _, c := range code {
		f.Add(c)
	}
	w.scratch.Reset()
	if err := f.Render(&w.scratch); err != nil {
		return err
	}
	imports, body := divide(w.scratch.String())
	d.text, d.imports = strings.Trim(body, "\n"), imports
	return nil
}

// divide takes the package clause and the imports off a file of jennifer's.
func divide(file string) (imports []string, body string) {
	_, rest, _ := strings.Cut(file, "\n\n")
	head, after, ok := strings.Cut(rest, "\n\n")
	if !ok {
		return nil, rest
	}
	line, ok := strings.CutPrefix(head, "import ")
	if !ok {
		return nil, rest
	}
	if lines, ok := strings.CutPrefix(line, "("); ok {
		return strings.Split(strings.Trim(strings.TrimSuffix(lines, ")"), "\n"), "\n"), after
	}
	return []string{line}, after
}

// file puts declarations together.
func (e *emitter) file(path string, decls []*decl) output.File {
	imports := map[string]bool{}
	size := 0
	for _, d := range decls {
		size += len(d.text) + 2
		for _, line := range d.imports {
			imports[line] = true
		}
	}
	var b bytes.Buffer
	b.Grow(size + 1024)
	b.WriteString(output.Header(path) + "\n\npackage " + e.opt.Package + "\n\n")
	if len(imports) > 0 {
		b.WriteString("import (\n")
		for _, line := range slices.Sorted(maps.Keys(imports)) {
			b.WriteString(line + "\n")
		}
		b.WriteString(")\n\n")
	}
	for i, d := range decls {
		b.WriteString(d.text)
		b.WriteByte('\n')
		if !d.tight || i+1 == len(decls) || !decls[i+1].tight {
			b.WriteByte('\n')
		}
	}
	return output.File{Path: path, Data: b.Bytes()}
}
