package kit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// A Source is the generated package in the current folder, parsed: for what a test
// cannot say by using the package, such as that something is not there.
type Source struct {
	t     *testing.T
	files []*ast.File
	text  map[string]string
}

// Parse reads the Go files of the current folder but for its tests.
func Parse(t *testing.T) *Source {
	t.Helper()
	s := &Source{t: t, text: map[string]string{}}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(set, name, data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s.files = append(s.files, file)
		s.text[name] = string(data)
	}
	return s
}

// Text is the whole text of a file of the package; empty when there is none.
func (s *Source) Text(file string) string { return s.text[file] }

// specs calls f with each declaration of a kind in the order of the files.
func (s *Source) specs(kind token.Token, f func(*ast.GenDecl, ast.Spec)) {
	for _, file := range s.files {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == kind {
				for _, spec := range gen.Specs {
					f(gen, spec)
				}
			}
		}
	}
}

// Types are the names of the exported types, by file and place.
func (s *Source) Types() (names []string) {
	s.specs(token.TYPE, func(_ *ast.GenDecl, spec ast.Spec) {
		if name := spec.(*ast.TypeSpec).Name.Name; ast.IsExported(name) {
			names = append(names, name)
		}
	})
	return names
}

// Type is what a type is declared as: "struct", "interface", "[]Nest", "= int64" for
// an alias; empty when it is not declared.
func (s *Source) Type(name string) string {
	spec, _ := s.typeSpec(name)
	if spec == nil {
		return ""
	}
	text := types.ExprString(spec.Type)
	switch spec.Type.(type) {
	case *ast.StructType:
		text = "struct"
	case *ast.InterfaceType:
		text = "interface"
	}
	if spec.Assign.IsValid() {
		text = "= " + text
	}
	return text
}

func (s *Source) typeSpec(name string) (found *ast.TypeSpec, doc string) {
	s.specs(token.TYPE, func(gen *ast.GenDecl, spec ast.Spec) {
		if ts := spec.(*ast.TypeSpec); ts.Name.Name == name {
			found = ts
			doc = gen.Doc.Text() + ts.Doc.Text()
		}
	})
	return found, doc
}

// Doc is the doc comment of a type.
func (s *Source) Doc(typ string) string {
	_, doc := s.typeSpec(typ)
	return doc
}

// A Field is one field of a struct.
type Field struct {
	Name, Type, Doc string
	// JSON is the tag json; empty when there is none.
	JSON string
}

// Fields are those of a struct, in order. An embedded one has no Name.
func (s *Source) Fields(typ string) (fields []Field) {
	s.t.Helper()
	spec, _ := s.typeSpec(typ)
	if spec == nil {
		s.t.Fatalf("there is no type %s", typ)
	}
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		s.t.Fatalf("%s is no struct", typ)
	}
	for _, f := range st.Fields.List {
		field := Field{Type: types.ExprString(f.Type), Doc: f.Doc.Text()}
		if f.Tag != nil {
			field.JSON = jsonTag(f.Tag.Value)
		}
		if len(f.Names) == 0 {
			fields = append(fields, field)
		}
		for _, name := range f.Names {
			field.Name = name.Name
			fields = append(fields, field)
		}
	}
	return fields
}

// jsonTag is what encoding/json reads of a tag as it stands in the source.
func jsonTag(literal string) string {
	tag, err := strconv.Unquote(literal)
	if err != nil {
		return ""
	}
	return reflect.StructTag(tag).Get("json")
}

// FieldTypes are the fields of a struct as "Name Type".
func (s *Source) FieldTypes(typ string) (list []string) {
	s.t.Helper()
	for _, f := range s.Fields(typ) {
		list = append(list, f.Name+" "+f.Type)
	}
	return list
}

// A Const is one typed constant.
type Const struct {
	Name string
	// Value is the literal; for a string what it stands for.
	Value string
}

// Consts are the constants of a type, in order.
func (s *Source) Consts(typ string) (list []Const) {
	s.specs(token.CONST, func(_ *ast.GenDecl, spec ast.Spec) {
		vs := spec.(*ast.ValueSpec)
		if id, ok := vs.Type.(*ast.Ident); !ok || id.Name != typ {
			return
		}
		for i, name := range vs.Names {
			value := types.ExprString(vs.Values[i])
			if text, err := strconv.Unquote(value); err == nil {
				value = text
			}
			list = append(list, Const{name.Name, value})
		}
	})
	return list
}

// Values are the values of a type's constants, in order.
func (s *Source) Values(typ string) (values []string) {
	for _, c := range s.Consts(typ) {
		values = append(values, c.Value)
	}
	return values
}

// Methods are the names in an interface, or of the exported methods of another type,
// in order.
func (s *Source) Methods(typ string) (names []string) {
	if spec, _ := s.typeSpec(typ); spec != nil {
		if it, ok := spec.Type.(*ast.InterfaceType); ok {
			for _, m := range it.Methods.List {
				for _, name := range m.Names {
					names = append(names, name.Name)
				}
			}
			return names
		}
	}
	for _, file := range s.files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() && receiver(f) == typ {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	return types.ExprString(t)
}
