package resilience

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// language is what the extension brings along: the policy of an operation without
// annotations, defaults of fields, presets. It is read with the reader that users'
// documents have, so that there is one set of rules.
type language struct {
	defaults *load.Node
	fields   *load.Node
	presets  map[string]*presets
}

// presets are those of one primitive.
type presets struct {
	// start is the name of the one that stands where none is named.
	start  string
	byName map[string]preset
}

type preset struct {
	node *load.Node
	// unsupported says that it needs what this version does not build.
	unsupported bool
	// key is where a user's preset is named; that of ours has no position.
	key load.Member
	// over are what further root objects say about a user's preset, the weakest
	// first.
	over []*load.Node
}

func (p *presets) names() []string { return slices.Sorted(maps.Keys(p.byName)) }

// readLanguage is the language for one document, whose presets come to ours.
func readLanguage() *language {
	ours := ownLanguage()
	l := *ours
	l.presets = make(map[string]*presets, len(ours.presets))
	for name, table := range ours.presets {
		l.presets[name] = &presets{start: table.start, byName: maps.Clone(table.byName)}
	}
	return &l
}

// ownLanguage reads the files of specext. They are part of the build: a fault in
// them is one of holdfast, and a panic finds it in the first test.
var ownLanguage = sync.OnceValue(parseLanguage)

func parseLanguage() *language {
	l := &language{presets: map[string]*presets{}}
	for name, path := range specext.Files() {
		root := builtin(path)
		switch name {
		case "default":
			l.defaults = root
		case "fields":
			l.fields = root
		default:
			start, _ := root.Get("default").Str()
			table := &presets{start: start, byName: map[string]preset{}}
			for _, m := range root.Get("presets").Members {
				table.byName[m.Key] = preset{node: m.Value}
			}
			l.presets[name] = table
		}
	}
	for _, p := range primitives {
		if table := l.presets[p.name]; table != nil {
			for name, e := range table.byName {
				var list diag.List
				c := &checker{list: &list, bad: map[*load.Node]bool{}, presets: l.presets}
				c.settings(p, e.node, name)
				for _, d := range list.Sorted() {
					if d.Code != "resilience-unsupported" {
						panic(fmt.Sprintf("resilience: the %s preset %s: %s", p.name, name, d.Message))
					}
					e.unsupported = true
				}
				table.byName[name] = e
			}
		}
	}
	return l
}

// builtin parses one of our files.
func builtin(path string) *load.Node {
	data, err := specext.Source(path)
	if err != nil {
		panic(err)
	}
	var list diag.List
	file := load.Parse(path, data, &list)
	if file == nil || list.Len() > 0 {
		panic(fmt.Sprintf("resilience: %s: %v", path, list.Sorted()))
	}
	return file.Root
}
