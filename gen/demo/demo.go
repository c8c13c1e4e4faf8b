// Package demo shows what a generated client does when its service fails: it generates
// both from a document, builds them, and lets them run against each other.
package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/holdfast-go/holdfast/gen"
)

// booking is the document that is played when none is given.
//
//go:embed booking.yaml
var booking []byte

// Options say what to play and where.
type Options struct {
	// Spec is the document; empty is the built-in booking service.
	Spec string
	// Keep is the folder for the code, which need not exist; empty is a new temporary
	// one. It stays in both cases, since the code is what the demo is about.
	Keep string
	// Stdout takes the play, Stderr what the programs have to complain about.
	Stdout, Stderr io.Writer
	// Report, unless nil, gets what the generator has to say about the document, if that
	// is anything at all.
	Report func(*gen.Output) error
	// Progress, unless nil, is told what is being done now, and with an empty text that
	// the play begins.
	Progress func(text string)
}

// ErrPlay says that the demo was generated and built, but did not end as it should.
var ErrPlay = errors.New("the demo did not end as it should")

// Run generates, builds and plays. An error of the document is [gen.ErrDocument].
func Run(ctx context.Context, o Options) error {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	tool, err := findGo(ctx)
	if err != nil {
		return err
	}
	dir, err := folder(o.Keep)
	if err != nil {
		return err
	}
	p := &production{Options: o, dir: dir, tool: tool}
	if err := p.generate(ctx); err != nil {
		p.discard()
		return err
	}
	o.Progress("build")
	if err := p.build(ctx); err != nil {
		return err
	}
	o.Progress("")
	p.opening()
	if err := p.play(ctx); err != nil {
		return err
	}
	p.closing()
	return nil
}

// folder is the folder for the code, as an absolute path.
func folder(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "holdfast-demo-")
	}
	return filepath.Abs(keep)
}

// production is one run.
type production struct {
	Options

	dir  string
	tool string // the go command
	out  *gen.DemoOutput
}

// discard removes a temporary folder in which nothing is worth keeping.
func (p *production) discard() {
	if p.Keep == "" {
		_ = os.RemoveAll(p.dir)
	}
}

// opening says what is played.
func (p *production) opening() {
	from := "the built-in booking service"
	if p.Spec != "" {
		from = gen.Escape(p.Spec)
	}
	fmt.Fprintf(p.Stdout, "holdfast demo: %s, from %s\n", gen.Escape(p.out.Title), from)
	fmt.Fprintf(p.Stdout, "A generated client calls a generated server, which fails as a script tells it to.\n")
	if p.out.Shortened {
		fmt.Fprintf(p.Stdout, "Times of the policies are shortened, so that the demo ends within seconds.\n")
	}
	if len(p.out.Left) == 0 {
		return
	}
	fmt.Fprintf(p.Stdout, "\nNot called:\n")
	for i, l := range p.out.Left {
		if i == maxLeft {
			fmt.Fprintf(p.Stdout, "   … and %d more\n", len(p.out.Left)-maxLeft)
			break
		}
		fmt.Fprintf(p.Stdout, "   %s: %s\n", gen.Escape(l.Operation), gen.Escape(l.Reason))
	}
}

// maxLeft is how many operations that are not called are listed.
const maxLeft = 20

// closing says where the code is.
func (p *production) closing() {
	fmt.Fprintf(p.Stdout, "\nThe code is in %s", gen.Escape(p.dir))
	if p.Keep == "" {
		fmt.Fprintf(p.Stdout, ", a temporary folder that stays: remove it when you have seen enough")
	}
	fmt.Fprintf(p.Stdout, "\n   api/      generated from the document: client, server, types, policies (see policy.go)\n")
	fmt.Fprintf(p.Stdout, "   calls/    generated as well: samples of requests and answers\n")
	fmt.Fprintf(p.Stdout, "   holdfast/ a copy of the runtime, so that the module requires nothing\n")
	if p.Spec == "" {
		fmt.Fprintf(p.Stdout, "   booking.yaml is the document; 'holdfast demo --spec FILE' plays one of yours\n")
	}
}
