package lint

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// patch is a setting that mends a finding, at the place where an overlay writes it.
type patch struct {
	rule string
	// target is the operation, nil for the defaults of the root.
	target *load.Node
	side   side
	path   string // of the setting in the language: retry.jitter
	value  any    // string, bool, int, []string
}

// mend notes a setting that mends the finding of an operation: at the defaults where
// the setting stands there, so that one action mends it for all, else at the operation.
// Findings of a profile or a variant alone, and those of an operation that stands in
// another file, are mended by nothing.
func (v *view) mend(g *group, s side, path string, value any) {
	if g == nil || !v.base() || v.in.Alone {
		return
	}
	if g.spot.source.Level == "defaults" {
		g.patch(patch{rule: g.rule.ID, side: s, path: path, value: value})
		return
	}
	v.mendHere(g, s, path, value)
}

// mendHere is mend for a value that depends on the operation.
func (v *view) mendHere(g *group, s side, path string, value any) {
	if g == nil || !v.base() || v.in.Alone || v.node.Home() != v.in.Doc.Root {
		return
	}
	g.patch(patch{rule: g.rule.ID, target: v.node, side: s, path: path, value: value})
}

// patchPlace tells patches apart.
type patchPlace struct {
	target *load.Node
	side   side
	path   string
}

func (g *group) patch(p patch) {
	at := patchPlace{p.target, p.side, p.path}
	if g.patched[at] {
		return
	}
	g.patched[at] = true
	g.patches = append(g.patches, p)
}

// dot stands for a dot in a name within the path of a patch. No name has it.
const dot = "\x00"

// whole is a name of the user's as one part of the path of a patch.
func whole(name string) string { return strings.ReplaceAll(name, ".", dot) }
