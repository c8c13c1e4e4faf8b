package emit

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/output"
)

// docFile writes doc.go, which tells what the package is.
//
//	// Package train is the API "Train Travel", version 1.2.1, for clients and servers.
//	//
//	// …text of the document…
//	package train
func (e *emitter) docFile() (output.File, error) {
	what := "for clients and servers"
	switch {
	case e.opt.NoClient && e.opt.NoServer:
		what = "as types"
	case e.opt.NoClient:
		what = "for servers"
	case e.opt.NoServer:
		what = "for clients"
	}
	head := fmt.Sprintf("Package %s is the API %q", e.opt.Package, e.api.Title)
	if e.api.Version != "" {
		head += fmt.Sprintf(", version %q", e.api.Version)
	}
	f := jen.NewFile(e.opt.Package)
	f.NoFormat = true
	f.HeaderComment(output.Header("doc.go"))
	f.PackageComment(commentText(head+", "+what+".", e.api.Description))
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return output.File{}, fmt.Errorf("emit doc.go: %w", err)
	}
	return output.File{Path: "doc.go", Data: b.Bytes()}, nil
}
