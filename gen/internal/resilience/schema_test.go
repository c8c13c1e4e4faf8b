package resilience

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files of the language that are written from the grammar, by name.
func writtenFiles(tb testing.TB) (map[string][]byte, *glossary) {
	tb.Helper()
	words := readGlossary(tb)
	out := map[string][]byte{}
	for name, s := range map[string]schema{
		"x-resilience.schema.json":         languageSchema(words),
		"openapi-x-resilience.schema.json": documentSchema(words),
		"overlay-x-resilience.schema.json": overlaySchema(words),
	} {
		out[name] = append([]byte(render(readable(s), "")), '\n')
	}
	out["README.md"] = reference(words)
	return out, words
}

// What editors and readers see is what the generator reads. HOLDFAST_RECORD=1 writes
// the files anew.
func TestWritten(t *testing.T) {
	files, words := writtenFiles(t)
	if unused := words.unused(); len(unused) > 0 {
		t.Errorf("reference/fields.yaml is about what the grammar does not have: %v", unused)
	}
	for name, want := range files {
		path := filepath.Join(extensions, name)
		if os.Getenv("HOLDFAST_RECORD") != "" {
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the grammar says: HOLDFAST_RECORD=1 go test ./gen/internal/resilience -run TestWritten writes it", name)
		}
	}
}
