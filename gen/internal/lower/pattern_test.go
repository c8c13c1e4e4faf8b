package lower

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/check"
)

// Every pattern of a published document can be run; the corpus has 202 different
// ones, among them lookahead and counts up to 2147483648.
func TestCorpusPatterns(t *testing.T) {
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS(filepath.Join(corpusDir, "specs")), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			return nil //nolint:nilerr // without the corpus; the count below says so
		}
		data, err := os.ReadFile(filepath.Join(corpusDir, "specs", path))
		if err != nil {
			return err
		}
		var list diag.List
		file := load.Parse(path, data, &list)
		if file == nil {
			return nil
		}
		eachPattern(file.Root, func(n *load.Node, pattern string) {
			seen[pattern] = true
			if _, err := check.Compile(pattern); err != nil {
				t.Errorf("%s: %v", n.Pos(), err)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d different patterns", len(seen))
	if n := len(seen); n > 0 && n < 200 {
		t.Errorf("%d different patterns, want at least 200", n)
	}
}

// eachPattern visits the values of pattern and the keys of patternProperties.
func eachPattern(n *load.Node, visit func(*load.Node, string)) {
	for _, m := range n.Members {
		switch {
		case m.Key == "pattern" && m.Value.Kind == load.String:
			visit(m.Value, m.Value.Text)
		case m.Key == "patternProperties":
			for _, p := range m.Value.Members {
				visit(p.Value, p.Key)
			}
		}
		eachPattern(m.Value, visit)
	}
	for _, item := range n.Items {
		eachPattern(item, visit)
	}
}

// What other languages have is read as they mean it, and reported where it stands.
func TestForeignPatterns(t *testing.T) {
	got := lowerText(t, `
openapi: 3.1.0
info: {title: t, version: '1'}
paths: {}
components:
  schemas:
    A: {type: string, pattern: '\A[a-z]+\z'}
    B: {type: string, pattern: '^(?=.*\d)(a|b)\1$'}
    C: {type: object, patternProperties: {'^(?!x)\pL': {type: string}}, additionalProperties: false}
    D: {type: string, pattern: 'a\h'}
`, Options{})
	got.wantTypes(`
		A string [pattern \A[a-z]+\z]
		B string [pattern ^(?=.*\d)(a|b)\1$]
		C map string closed
		  /^(?!x)\pL/ string
		D string`)
	for line, words := range map[int][]string{
		7: {`\A is read as the start of the text (character 1)`},
		9: {`\pL is read as \p{L} (character 7)`}, 10: {"not checked", "character 2"},
	} {
		if d := got.says(diag.Warning, words...); d.Pos.Line != line {
			t.Errorf("%v is reported at %s", words, d.Pos)
		}
	}
}
