package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holdfast-go/holdfast/gen"
)

const initHelp = `Init writes holdfast.yaml into the current folder: one target, and every other
setting explained in comments. A file that is there already is never overwritten.

Without --spec the document is looked for: openapi.yaml, openapi.yml or
openapi.json, here or in the folder api.`

func (a *app) initCommand() *command {
	fs := newFlags("init")
	spec := fs.String("spec", "", "the OpenAPI `FILE`")
	out := fs.String("out", "internal/api", "the `DIR` of the generated package")
	pkg := fs.String("package", "", "the `NAME` of the package (default: that of the folder)")
	annotate(fs, "spec", completesPath, "files")
	annotate(fs, "out", completesPath, "dirs")
	return &command{
		name:    "init",
		summary: "write a commented configuration file",
		help:    initHelp,
		flags:   fs,
		run: func(_ context.Context, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			return a.writeConfig(*spec, *out, *pkg)
		},
	}
}

func (a *app) writeConfig(spec, out, pkg string) error {
	found := spec != ""
	if !found {
		spec, found = findSpec()
	}
	if pkg == "" {
		pkg = filepath.Base(filepath.Clean(out))
	}
	text, err := gen.NewFile(filepath.ToSlash(spec), filepath.ToSlash(out), pkg)
	if err != nil {
		return err
	}
	if err := writeNew(gen.FileName, text); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s is there already and stays as it is: edit it, or move it away first", gen.FileName)
		}
		return err
	}
	next := "run 'holdfast generate'"
	if !found {
		next = "set the path of your document in it, then " + next
	}
	_, err = fmt.Fprintf(a.stdout, "Wrote %s; next, %s.\n", gen.FileName, next)
	return err
}

// writeNew writes a file that must not exist; a file cut short is removed.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// findSpec looks for a document under the names that most projects use.
func findSpec() (spec string, found bool) {
	for _, dir := range []string{".", "api"} {
		for _, name := range []string{"openapi.yaml", "openapi.yml", "openapi.json"} {
			p := filepath.Join(dir, name)
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				return p, true
			}
		}
	}
	return "openapi.yaml", false
}
