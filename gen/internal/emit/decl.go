package emit

import (
	"bytes"
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

// render writes declarations as Go. jennifer knows the imports of a whole file
// only, so each declaration is rendered as a file of its own and divided.
func (e *emitter) render(key string, code []jen.Code) (decl, error) {
	f := e.newFile()
	for _, c := range code {
		f.Add(c)
	}
	e.scratch.Reset()
	if err := f.Render(&e.scratch); err != nil {
		return decl{key: key}, err
	}
	imports, body := divide(e.scratch.String())
	return decl{key: key, text: strings.Trim(body, "\n"), imports: imports}, nil
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
func (e *emitter) file(path string, decls []decl) output.File {
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
