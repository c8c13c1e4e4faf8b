package emit

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func TestCommentText(t *testing.T) {
	long := strings.Repeat("word ", 30)
	tests := []struct {
		in   []string
		want string
	}{
		{[]string{"one"}, "// one"},
		{[]string{"", " \n\t\n "}, ""},
		{[]string{"one", "two"}, "// one\n//\n// two"},
		{[]string{"a\r\nb\rc\n\n\n\nd\n\n"}, "// a\n// b\n// c\n//\n// d"},
		{[]string{"// x\nfunc init() {}"}, "// // x\n// func init() {}"},
		{[]string{"*/ package evil"}, "// */ package evil"},
		{[]string{"go:embed secret.txt\nline /tmp/x.go:1\n//go:build ignore"}, "// \\go:embed secret.txt\n// line /tmp/x.go:1\n// //go:build ignore"},
		{[]string{"  +build linux"}, `// \+build linux`},
		{[]string{"a\u2028func b\u2029c\u0000d\ufeffe\u0085f"}, "// a func b c d e f"},
		{[]string{"left\u202eright\u2066x"}, "// leftrightx"},
		{[]string{"bad\xff"}, "// bad\ufffd"},
		{[]string{long}, "// " + strings.TrimSpace(strings.Repeat("word ", 18)) + "\n// " + strings.TrimSpace(strings.Repeat("word ", 12))},
		{[]string{strings.Repeat("x", 89) + " +build y"}, "// " + strings.Repeat("x", 89) + "\n" + `// \+build y`},
	}
	for _, tt := range tests {
		if got := commentText(tt.in...); got != tt.want {
			t.Errorf("%q\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	got := describe("Pet", ir.Doc{Summary: "Short.", Description: "Long.", Deprecated: true, ExternalURL: "https://example.test"}, "fallback", "Ours.").GoString()
	want := "// Pet: Long.\n//\n// Ours.\n//\n// See https://example.test\n//\n// Deprecated: the document marks it as deprecated."
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := describe("Pet", ir.Doc{}, "Pet is a pet.").GoString(); got != "// Pet is a pet." {
		t.Errorf("fallback: %q", got)
	}
}

// No text at all turns into code or into a directive.
func TestCommentsStayComments(t *testing.T) {
	hostile := rapid.OneOf(rapid.String(), rapid.StringMatching(`(//|/\*|\*/|go:|line |\+build|\n|\r|x| |`+"`"+`){0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		text := hostile.Draw(t, "text")
		f := jen.NewFile("p")
		f.NoFormat = true
		f.Add(comment(text, hostile.Draw(t, "second")))
		f.Var().Id("x").Int()
		var b strings.Builder
		if err := f.Render(&b); err != nil {
			t.Fatal(err)
		}
		src := b.String()
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if len(file.Decls) != 1 {
			t.Fatalf("%d declarations in\n%s", len(file.Decls), src)
		}
		for line := range strings.SplitSeq(src, "\n") {
			if strings.HasPrefix(line, "//") && line != "//" && !strings.HasPrefix(line, "// ") ||
				strings.HasPrefix(line, "// +build") || !utf8.ValidString(line) {
				t.Fatalf("line %q", line)
			}
		}
	})
}
