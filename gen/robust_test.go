package gen_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
	"github.com/holdfast-go/holdfast/gen/internal/hostile"
)

// An altered document makes code that parses, or is refused with reasons; there is no
// third outcome. Each seed makes the same document again.
func TestMutatedDocuments(t *testing.T) {
	docs := hostile.Documents(1<<15, "../testdata/cases", "../testdata/specs")
	if len(docs) == 0 {
		t.Fatal("there are no documents")
	}
	rounds := uint64(3)
	if testing.Short() {
		rounds = 1
	}
	generated := 0
	for i, path := range slices.Sorted(maps.Keys(docs)) {
		for round := range rounds {
			seed := round*1000 + uint64(i)
			text := hostile.Mutate(docs[path], seed)
			hostile.Guard(t, len(text), func() {
				_, result, err := ran(t, string(text), func(c *gen.Config) { c.DryRun = true })
				switch {
				case err == nil:
					generated++
				case !errors.Is(err, gen.ErrDocument) || len(result.Diagnostics) == 0:
					t.Errorf("%v", err)
				}
			})
			if t.Failed() {
				t.Fatalf("%s with seed %d", path, seed)
			}
		}
	}
	t.Logf("%d altered documents made code", generated)
	if generated == 0 {
		t.Error("no altered document made code")
	}
}
