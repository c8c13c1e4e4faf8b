package emit

import (
	"bytes"
	"fmt"
	"strings"

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
	// All calls each operation once for every media type of its request and every answer
	// that it may give, with all parameters that have a sample and with none that can be
	// left out, and calls the webhooks and callbacks as well: for tests. A demo has one
	// call of each operation.
	All bool
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
	// Behind says that a server of the document gives its requests to another operation.
	Behind bool
}

// WriteDemo writes a package with a service that answers with samples, and with a table
// of calls. The types that it names are those of Emit for the same document and table.
func WriteDemo(api *ir.API, table *names.Table, opt DemoOptions) (*Demo, error) {
	e := newEmitter(api, table, Options{Package: opt.Package})
	e.home = opt.API
	d := &demo{emitter: e, opt: opt, answers: map[*operation]*answers{}, out: &Demo{}}
	var calls, service []jen.Code
	d.played = d.playedGroups()
	for _, g := range d.played {
		for _, o := range g.ops {
			d.answers[o] = d.answersOf(o)
		}
		calls = append(calls, d.calls(g)...)
		service = append(service, d.service(g)...)
	}
	if opt.All {
		calls = append(calls, d.contents()...)
	}
	for _, part := range []struct {
		name string
		code []jen.Code
	}{{"calls", calls}, {"service", service}} {
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
	played  []*group // whose operations are called
	answers map[*operation]*answers
	out     *Demo
}

func (d *demo) playedGroups() []*group {
	groups := d.groups()
	if !d.opt.All {
		return groups[:1]
	}
	out := groups[:1]
	for _, g := range groups[1:] {
		if len(g.ops) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// demoName is the name of something that each group has one of: of the operations, it is
// the word itself.
func (g *group) demoName(word string) string {
	if g.kind == kindOperation {
		return word
	}
	if lower := strings.ToLower(word[:1]); word[:1] == lower {
		return g.kind + strings.ToUpper(word[:1]) + word[1:]
	}
	return word + strings.ToUpper(g.kind[:1]) + g.kind[1:] + "s"
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
	d.leave(DemoLeft{Operation: o.Key, Reason: fmt.Sprintf(format, args...)})
}

// leave notes that an operation is not called.
func (d *demo) leave(l DemoLeft) { d.out.Left = append(d.out.Left, l) }
