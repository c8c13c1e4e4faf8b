package output

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// RewriteImports returns the Go source with every import path replaced by what
// rewrite gives for it (nil: as it is) and with the imports in the two groups
// that goimports expects: the standard library, then the rest. Imports that
// carry comments keep their places, only their paths change. The body is copied
// byte for byte; src is not changed.
func RewriteImports(src []byte, rewrite func(path string) string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if len(file.Imports) == 0 {
		return src, nil
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	start, end := importRange(file)
	if commented(file, start, end) || importsC(file) {
		return rewriteInPlace(src, file, offset, rewrite), nil
	}
	var b bytes.Buffer
	b.Grow(len(src) + 64*len(file.Imports))
	b.Write(src[:offset(start)])
	writeImports(&b, file.Imports, rewrite)
	b.Write(src[offset(end):])
	return b.Bytes(), nil
}

func importRange(file *ast.File) (start, end token.Pos) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			if !start.IsValid() {
				start = g.Pos()
			}
			end = g.End()
		}
	}
	return start, end
}

func commented(file *ast.File, start, end token.Pos) bool {
	return slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return c.Pos() > start && c.Pos() < end
	}) || slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Comment != nil })
}

// importsC: the comment above `import "C"` is source text of another language.
func importsC(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == "C" })
}

func importPath(s *ast.ImportSpec) string {
	p, err := strconv.Unquote(s.Path.Value)
	if err != nil { // the parser has refused such a path before
		return s.Path.Value
	}
	return p
}

func rewriteInPlace(src []byte, file *ast.File, offset func(token.Pos) int, rewrite func(string) string) []byte {
	if rewrite == nil {
		return src
	}
	var b bytes.Buffer
	last := 0
	for _, s := range file.Imports {
		b.Write(src[last:offset(s.Path.Pos())])
		b.WriteString(strconv.Quote(rewrite(importPath(s))))
		last = offset(s.Path.End())
	}
	b.Write(src[last:])
	return b.Bytes()
}

type importLine struct {
	name, path string
	std        bool
}

// writeImports prints one import declaration.
func writeImports(b *bytes.Buffer, specs []*ast.ImportSpec, rewrite func(string) string) {
	lines := make([]importLine, 0, len(specs))
	for _, s := range specs {
		l := importLine{path: importPath(s)}
		if rewrite != nil {
			l.path = rewrite(l.path)
		}
		if s.Name != nil {
			l.name = s.Name.Name + " "
		}
		// goimports takes a path for the standard library's when its first
		// element has no dot, so a user's module "shop" counts as such too.
		first, _, _ := strings.Cut(l.path, "/")
		l.std = !strings.Contains(first, ".")
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(x, y importLine) int {
		if x.std != y.std {
			if x.std {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.name, y.name))
	})
	lines = slices.Compact(lines)
	if len(lines) == 1 {
		b.WriteString("import " + lines[0].name + strconv.Quote(lines[0].path))
		return
	}
	b.WriteString("import (\n")
	for i, l := range lines {
		if i > 0 && lines[i-1].std != l.std {
			b.WriteByte('\n')
		}
		b.WriteString("\t" + l.name + strconv.Quote(l.path) + "\n")
	}
	b.WriteString(")")
}
