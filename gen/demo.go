package gen

import (
	"context"
	"path"
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/emit"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// DemoModule is the module path of a demo. Its packages are DemoModule/api, the client
// and server of the document; DemoModule/calls, a service that answers with samples and
// a table of calls; and DemoModule/play, which is given with the files.
const DemoModule = "demo"

// DemoFile is a hand-written file of a demo, by its path in the module.
type DemoFile struct {
	Path string
	Data []byte
}

// DemoOutput is what [RunDemo] has to tell.
type DemoOutput struct {
	*Output

	// Title is the document's title, Calls the number of operations that are called.
	Title string
	Calls int
	// Left are the operations that are not called, with the reason.
	Left []DemoLeft
	// Shortened says that times of the policies were cut, so that what they do can be
	// seen within seconds.
	Shortened bool
}

// DemoLeft is an operation that a demo does not call, and why.
type DemoLeft = emit.DemoLeft

// RunDemo writes a module into the folder cfg.Out that plays a document: its generated
// client and server, samples for both, the runtime, and the given files, whose imports of
// the runtime are led to the copy. It needs nothing outside of itself to be built. Of cfg
// it takes the document, the folder, the filters and the reporter; the rest is set.
//
// The DemoOutput is never nil, and its Output neither.
func RunDemo(ctx context.Context, cfg Config, files []DemoFile) (*DemoOutput, error) {
	cfg.Package, cfg.Client, cfg.Server = "api", true, true
	cfg.Runtime, cfg.ImportPath, cfg.RuntimeAdd = RuntimeVendor, DemoModule, nil
	demo := &DemoOutput{}
	out, err := run(ctx, cfg, func(ctx context.Context, cfg Config, list *diag.List) ([]output.File, error) {
		return demo.generate(ctx, cfg, list, files)
	})
	demo.Output = out
	return demo, err
}

// generate makes all files of the module but the runtime's.
func (demo *DemoOutput) generate(ctx context.Context, cfg Config, list *diag.List, files []DemoFile) ([]output.File, error) {
	api, table, err := understand(ctx, cfg, lower.Options{OwnTypes: true}, list)
	if api == nil || err != nil {
		return nil, err
	}
	standAlone(api)
	demo.Title, demo.Shortened = api.Title, hasten(api)
	cfg.report("emit")
	out, err := emit.Emit(api, table, emit.Options{Package: cfg.Package})
	if err != nil {
		return nil, err
	}
	below(out, "api")
	cfg.report("sample")
	played, err := emit.WriteDemo(api, table, emit.DemoOptions{
		Package: "calls", API: path.Join(DemoModule, "api"), Play: path.Join(DemoModule, "play"),
	})
	if err != nil {
		return nil, err
	}
	below(played.Files, "calls")
	demo.Left, demo.Calls = played.Left, len(api.Operations)-len(played.Left)
	out = slices.Concat(out, played.Files)
	for _, f := range files {
		head := output.Header(f.Path) + "\n"
		if path.Ext(f.Path) == ".go" {
			head += "\n" // keeps it apart from the comment of the package
		}
		out = append(out, output.File{Path: f.Path, Data: append([]byte(head), f.Data...)})
	}
	return out, nil
}

// below moves files into a folder.
func below(files []output.File, dir string) {
	for i := range files {
		files[i].Path = path.Join(dir, files[i].Path)
	}
}
