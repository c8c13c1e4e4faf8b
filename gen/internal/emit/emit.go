package emit

import (
	"errors"
	"slices"
	"strings"

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
	defer func() { _ = e.writer.close() }() // output has told, where it was reached
	e.models()
	e.operations()
	e.shared()
	return e.output()
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
	held    *heldRules
	ops     *opState // of the operation half
	params  *pool
	files   map[string][]*decl // by name, without ".go"
	writer  *writer
}

func newEmitter(api *ir.API, table *names.Table, opt Options) *emitter {
	e := &emitter{
		api: api, names: table, opt: opt,
		foreign: foreignImports(api),
		facts:   newFacts(api, table),
		codecs:  newPool("codec"),
		ops:     newOpState(),
		params:  newPool("param"),
		held:    newHeldRules(api),
		files:   map[string][]*decl{},
	}
	e.rules = newRules(e)
	e.writer = newWriter(opt.Package, e.foreign)
	return e
}

// shared writes the package variables that both halves asked for.
func (e *emitter) shared() {
	for _, p := range []*pool{e.codecs, e.rules.pool, e.params} {
		for _, d := range p.decls() {
			e.add(fileShared, d.key, d.code)
		}
	}
	e.schemas()
}

// add puts top-level declarations into the file called name, without ".go". The key
// is the exported name that they belong to; it decides where they go when the file
// is cut into several. The declarations become text as soon as may be, so that a large
// document's are not held as trees: code must not be changed any more.
func (e *emitter) add(name, key string, code ...jen.Code) { e.put(name, &decl{key: key}, code) }

// addTight adds a declaration of one line.
func (e *emitter) addTight(name, key string, code jen.Code) {
	e.put(name, &decl{key: key, tight: true}, []jen.Code{code})
}

func (e *emitter) put(name string, d *decl, code []jen.Code) {
	e.files[name] = append(e.files[name], d)
	e.writer.write(name, d, code)
}

// output turns the declarations into files, ordered by path.
func (e *emitter) output() ([]output.File, error) {
	about, err := e.docFile()
	if err := errors.Join(e.writer.close(), err); err != nil {
		return nil, err
	}
	out := []output.File{about}
	for name, decls := range e.files {
		for part, decls := range cut(name, decls) {
			out = append(out, e.file(part+".go", decls))
		}
	}
	slices.SortFunc(out, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
