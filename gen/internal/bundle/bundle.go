// Package bundle copies the runtime into the tree of a user whose module does
// not require ours: the packages that the generated code imports, and what
// those import in turn, with one import prefix rewritten.
package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/output"
)

const (
	// Module is the path of our own module.
	Module = "github.com/holdfast-go/holdfast"
	// Runtime is the import path below which the packages of the runtime are.
	Runtime = Module + "/runtime"
	// Dir is the folder, below the output folder, that holds the copies. It is
	// not called internal: the callers of a generated client need its options
	// and errors, wherever in their module they are.
	Dir = "holdfast"
)

// Options says what to copy from where to where.
type Options struct {
	// Sources holds the packages, by their path below [Runtime].
	Sources fs.FS
	// ImportPath is the import path of the output folder.
	ImportPath string
	// Extra names further packages to copy, such as "store/redis", which only
	// the user's own code imports.
	Extra []string
}

// Vendor returns files and the copies of all packages of the runtime that they
// import, directly or not, each import of the runtime rewritten to where the
// copy is. Imports of packages that are neither ours nor the standard library's
// stay as they are. The arguments are not changed.
func Vendor(files []output.File, opt Options) ([]output.File, error) {
	v := &vendor{opt: opt, wanted: map[string]string{}}
	for _, extra := range opt.Extra {
		v.want(Runtime+"/"+strings.Trim(extra, "/"), "--runtime-add "+extra)
	}
	for _, f := range files {
		if path.Ext(f.Path) != ".go" {
			v.out = append(v.out, f)
			continue
		}
		data, err := v.rewrite(f.Path, f.Data)
		if err != nil {
			return nil, err
		}
		v.out = append(v.out, output.File{Path: f.Path, Data: data})
	}
	for len(v.queue) > 0 {
		pkg := v.queue[0]
		v.queue = v.queue[1:]
		if err := v.copy(pkg); err != nil {
			return nil, err
		}
	}
	return v.out, nil
}

// Packages lists the packages that sources holds, sorted.
func Packages(sources fs.FS) ([]string, error) {
	found := map[string]bool{}
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isSource(name) {
			found[path.Dir(name)] = true
		}
		return err
	})
	return slices.Sorted(maps.Keys(found)), err
}

func isSource(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
}

type vendor struct {
	opt    Options
	out    []output.File
	queue  []string          // packages below Runtime still to copy
	wanted map[string]string // packages queued or copied -> who wants them first
}

func (v *vendor) want(importPath, by string) {
	pkg := strings.TrimPrefix(importPath, Runtime+"/")
	if _, ok := v.wanted[pkg]; !ok {
		v.wanted[pkg] = by
		v.queue = append(v.queue, pkg)
	}
}

// rewrite returns the source with the imports of the runtime led to the copies,
// and queues those packages.
func (v *vendor) rewrite(name string, src []byte) ([]byte, error) {
	var errs []error
	data, err := output.RewriteImports(src, func(p string) string {
		rest, ours := strings.CutPrefix(p, Module+"/")
		if !ours && p != Module {
			return p
		}
		sub, ok := strings.CutPrefix(rest, "runtime/")
		if !ok {
			errs = append(errs, fmt.Errorf("%s imports %s, which is no package of the runtime and cannot be copied", name, p))
			return p
		}
		v.want(p, name)
		return path.Join(v.opt.ImportPath, Dir, sub)
	})
	if err != nil {
		return nil, fmt.Errorf("generated file %s does not parse: %w", name, err)
	}
	return data, errors.Join(errs...)
}

func (v *vendor) copy(pkg string) error {
	entries, err := fs.ReadDir(v.opt.Sources, pkg)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("reading the embedded runtime: %w", err)
	}
	copied := 0
	for _, e := range entries {
		name := path.Join(pkg, e.Name())
		if e.IsDir() || !isSource(name) {
			continue
		}
		src, err := fs.ReadFile(v.opt.Sources, name)
		if err != nil {
			return fmt.Errorf("reading the embedded runtime: %w", err)
		}
		if err := checkCopyable(name, src); err != nil {
			return err
		}
		data, err := v.rewrite("runtime/"+name, src)
		if err != nil {
			return err
		}
		v.out = append(v.out, output.File{Path: path.Join(Dir, name), Data: withHeader(pkg, data)})
		copied++
	}
	if copied == 0 {
		return fmt.Errorf("%s needs the package %s/%s, which this holdfast does not carry", v.wanted[pkg], Runtime, pkg)
	}
	return nil
}

// checkCopyable refuses a file that would need more than itself.
func checkCopyable(name string, src []byte) error {
	if bytes.HasPrefix(src, []byte("//go:embed")) || bytes.Contains(src, []byte("\n//go:embed")) {
		return fmt.Errorf("runtime/%s embeds files and cannot be copied", name)
	}
	return nil
}

// withHeader puts our header and the licence above a file of the runtime. The
// blank line keeps both apart from a package comment and from build constraints.
func withHeader(pkg string, src []byte) []byte {
	head := output.Header("x.go") + "\n" +
		"// Copied from " + Runtime + "/" + pkg + ".\n" +
		"// Copyright The Holdfast Authors. Licensed under the Apache License, Version 2.0:\n" +
		"// http://www.apache.org/licenses/LICENSE-2.0. SPDX-License-Identifier: Apache-2.0\n\n"
	return append([]byte(head), src...)
}
