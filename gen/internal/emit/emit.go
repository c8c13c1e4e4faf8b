package emit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// Options choose what is written.
type Options struct {
	Package  string // name of the generated package
	NoClient bool   // leave out the client
	NoServer bool   // leave out the server
}

// Emit writes the package of one document. The files are not formatted yet:
// output.Prepare does that. An error is a fault of the generator.
func Emit(api *ir.API, table *names.Table, opt Options) ([]output.File, error) {
	e := newEmitter(api, table, opt)
	e.models()
	e.operations()
	e.shared()
	return e.render()
}

// emitter is one run. Both halves add declarations to its files.
type emitter struct {
	api     *ir.API
	names   *names.Table
	opt     Options
	home    string            // import path of the document's package, for code outside it
	foreign map[string]string // import path of an x-go-type -> import name
	facts   *facts
	rules   *rules
	codecs  *pool
	ops     *opState // of the operation half
	params  *pool
	files   map[string]*sheet
}

func newEmitter(api *ir.API, table *names.Table, opt Options) *emitter {
	e := &emitter{
		api: api, names: table, opt: opt,
		foreign: foreignImports(api),
		facts:   newFacts(api, table),
		codecs:  newPool("codec"),
		ops:     newOpState(),
		params:  newPool("param"),
		files:   map[string]*sheet{},
	}
	e.rules = newRules(e)
	return e
}

// shared writes the package variables that both halves asked for.
func (e *emitter) shared() {
	for _, p := range []*pool{e.codecs, e.rules.pool, e.params} {
		for _, d := range p.decls() {
			e.add(fileShared, d.key, d.code...)
		}
	}
}

// sheet is one output file, or several when it grows too long.
type sheet struct {
	decls []decl
}

// decl is one top-level declaration with what belongs to it.
type decl struct {
	key   string // exported name that decides the file when the sheet is cut
	code  []jen.Code
	tight bool // one line that needs no empty one between it and its like
}

// add puts top-level declarations into the file called name, without ".go". The key
// is the exported name that they belong to; it decides where they go when the file
// is cut into several.
func (e *emitter) add(name, key string, code ...jen.Code) {
	s := e.files[name]
	if s == nil {
		s = &sheet{}
		e.files[name] = s
	}
	s.decls = append(s.decls, decl{key: key, code: code})
}

// addTight adds a declaration of one line.
func (e *emitter) addTight(name, key string, code jen.Code) {
	e.add(name, key, code)
	decls := e.files[name].decls
	decls[len(decls)-1].tight = true
}

// render turns the sheets into files, ordered by path. Sheets share nothing, so they
// are rendered side by side.
func (e *emitter) render() ([]output.File, error) {
	sheets := slices.Sorted(maps.Keys(e.files))
	files := make([][]output.File, len(sheets))
	errs := make([]error, len(sheets))
	var wg sync.WaitGroup
	for i, name := range sheets {
		wg.Go(func() { files[i], errs[i] = e.renderSheet(name, e.files[name].decls) })
	}
	wg.Wait()
	about, err := e.docFile()
	if err := errors.Join(errors.Join(errs...), err); err != nil {
		return nil, err
	}
	out := append(slices.Concat(files...), about)
	slices.SortFunc(out, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// renderSheet writes one sheet, cut into several files when it is long.
func (e *emitter) renderSheet(name string, decls []decl) ([]output.File, error) {
	// So many declarations are not worth the attempt.
	const many = 1000
	if len(decls) < many {
		whole, err := e.renderDecls(name, decls)
		if err != nil || bytes.Count(whole.Data, []byte("\n")) <= maxLines {
			return []output.File{whole}, err
		}
	}
	var out []output.File
	for part, decls := range cut(name, decls) {
		file, err := e.renderDecls(part, decls)
		if err != nil {
			return nil, err
		}
		out = append(out, file)
	}
	return out, nil
}

func (e *emitter) renderDecls(name string, decls []decl) (output.File, error) {
	f := e.newFile()
	for i, d := range decls {
		for _, c := range d.code {
			f.Add(c)
		}
		if !d.tight || i+1 == len(decls) || !decls[i+1].tight {
			f.Line()
		}
	}
	return renderFile(name+".go", f)
}

func renderFile(path string, f *jen.File) (output.File, error) {
	f.HeaderComment(output.Header(path))
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return output.File{}, fmt.Errorf("emit %s: %w", path, err)
	}
	return output.File{Path: path, Data: b.Bytes()}, nil
}
