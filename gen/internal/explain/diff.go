package explain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Diff is what a change to a document changes in behaviour. It is plain data; the
// JSON tags are the documented form.
type Diff struct {
	Version int    `json:"version"`
	Old     string `json:"old"`
	New     string `json:"new"`
	// Profile is the one that was compared; empty: the policies without a profile
	// and those of every profile.
	Profile string `json:"profile,omitempty"`
	// ProfilesAdded and ProfilesRemoved are names.
	ProfilesAdded   []string `json:"profilesAdded,omitempty"`
	ProfilesRemoved []string `json:"profilesRemoved,omitempty"`
	// Added and Removed are operations by name.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	// Changed are the operations that behave otherwise, in the new document's order.
	Changed []Changed `json:"changed"`
	// Compared is the number of operations that both versions have.
	Compared int `json:"compared"`
}

// Changed is one operation, under one profile and variant.
type Changed struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	Profile string `json:"profile,omitempty"`
	Variant string `json:"variant,omitempty"`
	// Fields are the settings that differ, Consequences the numbers that follow.
	Fields       []FieldChange `json:"fields"`
	Consequences []Consequence `json:"consequences"`
}

// FieldChange is one setting. A primitive that is turned on or off is one, with all
// of its settings on the other side. An empty text is a setting that is not there.
type FieldChange struct {
	Side      string  `json:"side"`
	Path      string  `json:"path"`
	Old       string  `json:"old"`
	New       string  `json:"new"`
	OldSource *Source `json:"oldSource,omitempty"`
	NewSource *Source `json:"newSource,omitempty"`
}

// Consequence is one number of the worst case. Unit is "ms", "count" or "ratio"; a
// value of null is no bound, or what is not there.
type Consequence struct {
	Name     string   `json:"name"`
	Unit     string   `json:"unit"`
	Old      string   `json:"old"`
	New      string   `json:"new"`
	OldValue *float64 `json:"oldValue"`
	NewValue *float64 `json:"newValue"`
}

// Empty reports whether the two versions behave the same.
func (d *Diff) Empty() bool {
	return len(d.Added)+len(d.Removed)+len(d.Changed)+len(d.ProfilesAdded)+len(d.ProfilesRemoved) == 0
}

// Pair are two versions of a document under one profile.
type Pair struct {
	Profile  string
	Old, New *Report
}

// Compare compares two versions. The first pair leads: a change that another pair
// has in the same way is told once.
func Compare(old, now string, pairs []Pair) *Diff {
	d := &Diff{Version: FormatVersion, Old: old, New: now, Changed: []Changed{}}
	if len(pairs) == 0 {
		return d
	}
	first := pairs[0]
	d.Profile = first.Profile
	if first.Profile == "" {
		d.ProfilesAdded, d.ProfilesRemoved = missing(first.New.Profiles, first.Old.Profiles), missing(first.Old.Profiles, first.New.Profiles)
	}
	before := first.Old.byName()
	for _, o := range first.New.Operations {
		was, ok := before.find(o)
		if !ok {
			d.Added = append(d.Added, o.label())
			continue
		}
		d.Compared++
		var told []Changed
		for _, p := range pairs {
			for _, c := range p.changes(was, o) {
				same := slices.ContainsFunc(told, func(t Changed) bool { return t.Variant == c.Variant && sameChange(t, c) })
				if !same {
					told = append(told, c)
				}
			}
		}
		d.Changed = append(d.Changed, told...)
	}
	after := first.New.byName()
	for _, o := range first.Old.Operations {
		if _, ok := after.find(o); !ok {
			d.Removed = append(d.Removed, o.label())
		}
	}
	return d
}

// operationsBy finds operations of one version by those of another.
type operationsBy struct{ names, ids map[string]Operation }

func (r *Report) byName() operationsBy {
	by := operationsBy{map[string]Operation{}, map[string]Operation{}}
	for _, o := range r.Operations {
		by.names[o.Name] = o
		if o.ID != "" {
			by.ids[o.ID] = o
		}
	}
	return by
}

// find is the same operation by its method and path, else by its id: a path may be
// renamed.
func (by operationsBy) find(o Operation) (Operation, bool) {
	if found, ok := by.names[o.Name]; ok {
		return found, true
	}
	found, ok := by.ids[o.ID]
	return found, ok && o.ID != ""
}

// changes compares an operation under the pair's profile, with all variants.
func (p Pair) changes(was, is Operation) []Changed {
	old, now := p.Old.policyOf(was), p.New.policyOf(is)
	if old == nil || now == nil {
		return nil
	}
	var out []Changed
	add := func(variant string, a, b *View) {
		c := Changed{ID: is.ID, Name: is.Name, Profile: p.Profile, Variant: variant, Fields: fieldChanges(a, b), Consequences: consequences(a.Worst, b.Worst)}
		if len(c.Fields)+len(c.Consequences) > 0 {
			out = append(out, c)
		}
	}
	add("", &old.View, &now.View)
	for i := range now.Variants {
		v := &now.Variants[i]
		a := old.variant(v.Name)
		if a == nil {
			a = &old.View // such requests had the policy itself
		}
		add(v.Name, a, &v.View)
	}
	for i := range old.Variants {
		if v := &old.Variants[i]; now.variant(v.Name) == nil {
			add(v.Name, &v.View, &now.View)
		}
	}
	return out
}

// policyOf is the policy of an operation of any report of the same version.
func (r *Report) policyOf(o Operation) *Policy {
	for i := range r.Operations {
		if r.Operations[i].Name == o.Name {
			return r.Policies[r.Operations[i].Policy]
		}
	}
	return nil
}

func (p *Policy) variant(name string) *View {
	for i := range p.Variants {
		if p.Variants[i].Name == name {
			return &p.Variants[i].View
		}
	}
	return nil
}

func fieldChanges(a, b *View) []FieldChange {
	out := []FieldChange{}
	if a.Dependency != b.Dependency {
		out = append(out, FieldChange{Side: "both", Path: "dependency", Old: a.Dependency, New: b.Dependency})
	}
	out = append(out, sideChanges("client", a.Client, b.Client)...)
	return append(out, sideChanges("server", a.Server, b.Server)...)
}

func sideChanges(side string, old, now []Field) []FieldChange {
	var out []FieldChange
	toggled := map[string]bool{}
	for _, primitive := range primitivesOf(old, now) {
		a, b := offField(old, primitive), offField(now, primitive)
		if (a == nil) == (b == nil) {
			continue
		}
		toggled[primitive] = true
		c := FieldChange{Side: side, Path: primitive, Old: joined(old, primitive), New: joined(now, primitive)}
		c.OldSource, c.NewSource = firstSource(old, primitive), firstSource(now, primitive)
		out = append(out, c)
	}
	for _, path := range pathsOf(old, now) {
		primitive, _, _ := strings.Cut(path, ".")
		if toggled[primitive] {
			continue
		}
		a, b := fieldAt(old, path), fieldAt(now, path)
		c := FieldChange{Side: side, Path: path}
		if a != nil {
			c.Old, c.OldSource = a.Value, &a.Source
		}
		if b != nil {
			c.New, c.NewSource = b.Value, &b.Source
		}
		if !sameValue(c.Old, c.New) || (a == nil) != (b == nil) {
			out = append(out, c)
		}
	}
	return out
}

// primitivesOf are the first words of all paths, those of the new version first.
func primitivesOf(old, now []Field) []string {
	var out []string
	for _, f := range slices.Concat(now, old) {
		primitive, _, _ := strings.Cut(f.Path, ".")
		if !slices.Contains(out, primitive) {
			out = append(out, primitive)
		}
	}
	return out
}

// pathsOf are all paths, in the order of the new version, what only the old one has
// last.
func pathsOf(old, now []Field) []string {
	var out []string
	for _, f := range slices.Concat(now, old) {
		if !slices.Contains(out, f.Path) {
			out = append(out, f.Path)
		}
	}
	return out
}

func fieldAt(list []Field, path string) *Field {
	if i := slices.IndexFunc(list, func(f Field) bool { return f.Path == path }); i >= 0 {
		return &list[i]
	}
	return nil
}

// offField is the field that says that a primitive is off, nil where it is on or
// not known.
func offField(list []Field, primitive string) *Field {
	if f := fieldAt(list, primitive); f != nil && f.Value == "off" {
		return f
	}
	return nil
}

// joined are all settings of a primitive in one text.
func joined(list []Field, primitive string) string {
	var parts []string
	for _, f := range list {
		name, rest, nested := strings.Cut(f.Path, ".")
		switch {
		case name != primitive:
		case nested:
			parts = append(parts, rest+" "+f.Value)
		default:
			parts = append(parts, f.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// firstSource is where a primitive was first written, built in where nowhere.
func firstSource(list []Field, primitive string) *Source {
	var found *Source
	for i := range list {
		if name, _, _ := strings.Cut(list[i].Path, "."); name != primitive {
			continue
		}
		if found == nil || found.File == "" && list[i].Source.File != "" {
			found = &list[i].Source
		}
	}
	return found
}

// sameValue compares what was written: 60s and 1m are the same, and so are 1 and
// 1.0.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	if x, err := time.ParseDuration(a); err == nil {
		y, err := time.ParseDuration(b)
		return err == nil && x == y
	}
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		y, err := strconv.ParseFloat(b, 64)
		return err == nil && x == y
	}
	return false
}

// sameChange reports whether two changes say the same, wherever the settings are
// written.
func sameChange(a, b Changed) bool {
	return slices.EqualFunc(a.Fields, b.Fields, func(x, y FieldChange) bool {
		return x.Side == y.Side && x.Path == y.Path && x.Old == y.Old && x.New == y.New
	}) && slices.EqualFunc(a.Consequences, b.Consequences, func(x, y Consequence) bool {
		return x.Name == y.Name && x.Old == y.Old && x.New == y.New
	})
}

// missing are the names of list that other has not.
func missing(list, other []string) []string {
	var out []string
	for _, name := range list {
		if !slices.Contains(other, name) {
			out = append(out, name)
		}
	}
	return out
}
