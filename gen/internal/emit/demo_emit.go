package emit

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// DemoOptions say where a demo's packages are.
type DemoOptions struct {
	Package string // name of the package to write
	API     string // import path of the document's own package, client and server
	Play    string // import path of the hand-written part of the demo
}

// Demo is the part of a demo that depends on the document.
type Demo struct {
	Files []output.File
	// Left are the operations that are not called, each with the reason.
	Left []DemoLeft
}

// DemoLeft is an operation that a demo does not call.
type DemoLeft struct {
	Operation string // its key
	Reason    string
}

// WriteDemo writes a package with a service that answers with samples, and with a table
// of calls. The types that it names are those of Emit for the same document and table.
func WriteDemo(api *ir.API, table *names.Table, opt DemoOptions) (*Demo, error) {
	e := newEmitter(api, table, Options{Package: opt.Package})
	e.home = opt.API
	d := &demo{emitter: e, opt: opt, answers: map[*operation]*answer{}, out: &Demo{}}
	d.group = e.groups()[0]
	for _, o := range d.group.ops {
		d.answers[o] = d.answer(o)
	}
	for _, part := range []struct {
		name string
		code []jen.Code
	}{{"calls", d.calls()}, {"service", d.service()}} {
		file, err := d.file(part.name, part.code)
		if err != nil {
			return nil, err
		}
		d.out.Files = append(d.out.Files, file)
	}
	return d.out, nil
}

// demo is one run.
type demo struct {
	*emitter

	opt     DemoOptions
	group   *group
	answers map[*operation]*answer
	out     *Demo
}

// demoAPI is the name of the document's package in the demo.
const demoAPI = "api"

func (d *demo) file(name string, code []jen.Code) (output.File, error) {
	f := jen.NewFile(d.opt.Package)
	f.ImportNames(importNames)
	f.ImportNames(map[string]string{
		d.opt.API: demoAPI, d.opt.Play: "play", "strings": "strings",
	})
	f.HeaderComment(output.Header(name + ".go"))
	if name == "calls" {
		f.PackageComment(commentText("Package " + d.opt.Package + " calls and answers every operation of " + d.title() + " with samples."))
	}
	for _, c := range code {
		f.Add(c)
	}
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return output.File{}, fmt.Errorf("emit the demo's %s: %w", name, err)
	}
	return output.File{Path: name + ".go", Data: b.Bytes()}, nil
}

func (d *demo) play(name string) *jen.Statement { return jen.Qual(d.opt.Play, name) }

func (d *demo) api(name string) *jen.Statement { return jen.Qual(d.opt.API, name) }

// leavef notes that an operation is not called.
func (d *demo) leavef(o *operation, format string, args ...any) {
	d.out.Left = append(d.out.Left, DemoLeft{o.Key, fmt.Sprintf(format, args...)})
}
