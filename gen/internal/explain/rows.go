package explain

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// row is one line of a table of settings: those of one primitive that come from one
// place.
type row struct {
	primitive string
	// paths are those of the settings within the primitive, empty for a field without
	// members; values are theirs.
	paths, values []string
	source        Source
	others        int    // further places, in the other policies of a group
	first         string // the whole path of the first one
}

// text is the settings in one line.
func (r *row) text() string {
	if len(r.paths) == 1 && r.paths[0] == "" {
		return r.values[0]
	}
	return strings.Join(compact(r.paths, r.values), ", ")
}

// builtIn reports whether nobody has written it.
func (r *row) builtIn() bool { return r.source.Level == resilience.BuiltIn }

// rowsOf joins the settings of a side into rows: by primitive, and within it by the
// place that they come from. Primitives that are off by default are one row, as are those
// that one word turns off together (x-resilience: false).
func rowsOf(fields []Field, others [][]Field) []*row {
	var rows, offs []*row
	for _, f := range fields {
		primitive, rest, nested := strings.Cut(f.Path, ".")
		if !nested && f.Value == "off" && togetherOff(fields, f.Source) {
			offs = addOff(offs, primitive, f)
			continue
		}
		if !nested {
			rest = ""
		}
		i := slices.IndexFunc(rows, func(r *row) bool { return r.primitive == primitive && r.source.same(f.Source) })
		if i < 0 {
			rows = append(rows, &row{primitive: primitive, source: f.Source, first: f.Path})
			i = len(rows) - 1
		}
		rows[i].paths, rows[i].values = append(rows[i].paths, rest), append(rows[i].values, f.Value)
	}
	rows = append(rows, offs...)
	for _, r := range rows {
		r.others = elsewhere(r, others)
	}
	// A primitive's rows stay together, what is written before what is built in.
	slices.SortStableFunc(rows, func(a, b *row) int {
		if a.primitive != b.primitive {
			return 0
		}
		return boolInt(a.builtIn()) - boolInt(b.builtIn())
	})
	return rows
}

// togetherOff reports whether a source turns off by default, or several primitives by one
// word.
func togetherOff(fields []Field, s Source) bool {
	if s.Level == resilience.BuiltIn {
		return true
	}
	count := 0
	for _, f := range fields {
		if f.Value == "off" && f.Source == s && !strings.Contains(f.Path, ".") {
			count++
		}
	}
	return count > 1
}

// addOff adds a primitive to the row of those that its source turns off.
func addOff(offs []*row, primitive string, f Field) []*row {
	if f.Source.Level == resilience.BuiltIn {
		f.Source = Source{Level: resilience.BuiltIn} // whichever part of it says so
	}
	i := slices.IndexFunc(offs, func(r *row) bool { return r.source == f.Source })
	if i < 0 {
		i, offs = len(offs), append(offs, &row{primitive: "off", source: f.Source, first: f.Path})
	}
	offs[i].paths, offs[i].values = append(offs[i].paths, primitive), append(offs[i].values, "")
	return offs
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// elsewhere counts the further places that a row's first setting comes from in
// other policies of equal settings.
func elsewhere(r *row, others [][]Field) int {
	if r.first == "" || r.builtIn() {
		return 0
	}
	seen := map[string]bool{r.source.place(): true}
	for _, fields := range others {
		for _, f := range fields {
			if f.Path == r.first {
				seen[f.Source.place()] = true
				break
			}
		}
	}
	return len(seen) - 1
}

// same reports whether two sources read the same to people: level and line.
func (s Source) same(o Source) bool {
	return s.Level == o.Level && s.Policy == o.Policy && s.Preset == o.Preset && s.File == o.File && s.Line == o.Line
}

func (s Source) place() string { return s.File + "\x00" + strconv.Itoa(s.Line) }

// level is where it comes from, without the place: "operation, preset llm".
func (s Source) level() string {
	text := s.Level
	if s.Overlay {
		text += ", overlay"
	}
	if s.Policy != "" {
		text += ", policy " + s.Policy
	}
	if s.Preset != "" {
		text += ", preset " + s.Preset
	}
	return text
}

// at is the place, short enough for a table: "train.yaml:12".
func (s Source) at() string {
	if s.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(filepath.ToSlash(s.File)), s.Line)
}

// from is both, with the number of further places.
func (r *row) from() string {
	text := r.source.level()
	if at := r.source.at(); at != "" {
		text += " " + at
	}
	if r.others > 0 {
		text += fmt.Sprintf(" (+%d more)", r.others)
	}
	return text
}

// othersOf are the fields of the further policies of a group on one side.
func (g *group) othersOf(server bool) [][]Field {
	var out [][]Field
	for _, p := range g.others {
		if server {
			out = append(out, p.Server)
			continue
		}
		out = append(out, p.Client)
	}
	return out
}

// different are the fields of a variant that the policy itself has not.
func different(own, base []Field) []Field {
	var out []Field
	for _, f := range own {
		if !slices.ContainsFunc(base, func(b Field) bool { return b.Path == f.Path && b.Value == f.Value }) {
			out = append(out, f)
		}
	}
	return out
}
