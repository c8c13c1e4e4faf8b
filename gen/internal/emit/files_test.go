package emit

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"os/exec"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// Many objects, enough for several files.
func many(n int, skip string) *ir.API {
	d := &document{}
	for i := range n {
		name := fmt.Sprintf("%c%c%04d", 'A'+i%26, 'a'+i/26%26, i)
		if name == skip {
			continue
		}
		var fields []*ir.Field
		for j := range 12 {
			fields = append(fields, needed(fmt.Sprintf("member%d", j), use(scalar(ir.String))))
		}
		d.object(name, fields...)
	}
	return &d.api
}

func TestLongFilesAreCut(t *testing.T) {
	before := map[string]string{}
	for _, f := range generate(t, many(1500, ""), "p") {
		before[f.Path] = string(f.Data)
		if n := bytes.Count(f.Data, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines", f.Path, n)
		}
	}
	if len(before) < 20 {
		t.Errorf("only %d files", len(before))
	}
	// One type less touches the files of that type alone.
	changed := 0
	for _, f := range generate(t, many(1500, "Ca0002"), "p") {
		if before[f.Path] != string(f.Data) {
			changed++
			if !strings.HasPrefix(f.Path, "json_c") && !strings.HasPrefix(f.Path, "types_c") {
				t.Errorf("%s changed", f.Path)
			}
		}
	}
	if changed == 0 {
		t.Error("nothing changed")
	}
}

// No name of a file makes it one of a system, an architecture or the tests.
func TestFileNamesConstrainNothing(t *testing.T) {
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{"test": true}
	for pair := range strings.FieldsSeq(string(out)) {
		system, arch, _ := strings.Cut(pair, "/")
		words[system], words[arch] = true, true
	}
	for word := range words {
		if _, err := constraint.Parse("//go:build " + word); err != nil {
			t.Errorf("%s is no build tag", word)
		}
		for n := 1; n <= maxPrefix; n++ {
			if got := fileWord(word, n); words[got] {
				t.Errorf("a file of types on %s would be called types_%s.go", word, got)
			}
		}
	}
}

func TestSameBytesEachTime(t *testing.T) {
	first := generate(t, everything(), "p")
	for range 5 {
		again := generate(t, everything(), "p")
		if len(again) != len(first) {
			t.Fatalf("%d files, then %d", len(first), len(again))
		}
		for i, f := range again {
			if f.Path != first[i].Path || !bytes.Equal(f.Data, first[i].Data) {
				t.Fatalf("%s differs", f.Path)
			}
		}
	}
}

func TestForeignImports(t *testing.T) {
	foreign := func(path, alias string) *ir.Type {
		return &ir.Type{GoType: &ir.GoType{Import: path, Alias: alias, Name: "T"}}
	}
	api := &ir.API{Types: []*ir.Type{
		foreign("math/big", ""), foreign("example.test/a/json", ""), foreign("example.test/b/json", ""),
		foreign("example.test/d", ""), foreign("example.test/x/v2", "v"), foreign("gopkg.in/yaml.v3", ""),
		foreign("example.test/go-money", ""), foreign("example.test/type", ""), foreign("example.test/m", "Decode_Pet"),
		foreign("encoding/json", ""),
	}}
	want := map[string]string{
		"math/big": "big", "example.test/a/json": "jsonpkg", "example.test/b/json": "jsonpkgpkg", "example.test/d": "dpkg",
		"example.test/x/v2": "vpkg", "gopkg.in/yaml.v3": "yaml", "example.test/go-money": "money", "example.test/type": "typepkg",
		"example.test/m": "decodepet", "encoding/json": "jsonpkgpkgpkg",
	}
	got := foreignImports(api)
	taken := map[string]string{}
	for path, name := range want {
		if got[path] == "" || jen.IsReservedWord(got[path]) {
			t.Errorf("%s is imported as %q", path, got[path])
		}
		if strings.HasSuffix(path, "/json") {
			name = got[path] // which of them comes first is not the point
			if !strings.HasPrefix(name, "jsonpkg") {
				t.Errorf("%s is imported as %s", path, name)
			}
		}
		if got[path] != name {
			t.Errorf("%s is imported as %s, want %s", path, got[path], name)
		}
		if other, ok := taken[got[path]]; ok {
			t.Errorf("%s and %s are both imported as %s", path, other, name)
		}
		taken[got[path]] = path
	}
}
