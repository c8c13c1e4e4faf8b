package explain

import (
	"io"
	"strings"
)

// WriteJSON writes the diff as JSON; the types of this package are its form.
func (d *Diff) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

// WriteText writes the diff for people: operations that change in the same way
// together, each setting as old -> new, and what follows from it in numbers.
func (d *Diff) WriteText(w io.Writer, opt Options) error {
	c := newCanvas(opt)
	c.paragraph(bold, 0, d.Old+" -> "+d.New)
	if d.Empty() {
		c.line(plain, "No operation behaves otherwise: "+count(d.Compared, "operation", "operations")+" compared.")
		_, err := io.WriteString(w, c.b.String())
		return err
	}
	d.list(c, "profiles added", d.ProfilesAdded, green)
	d.list(c, "profiles removed", d.ProfilesRemoved, red)
	d.list(c, "operations added", d.Added, green)
	d.list(c, "operations removed", d.Removed, red)
	changed := map[string]bool{}
	for _, x := range d.Changed {
		changed[x.Name] = true
	}
	c.line(plain, count(len(changed), "operation", "operations")+" of "+thousands(d.Compared)+" "+verb(len(changed), "behaves", "behave")+" otherwise.")
	for _, g := range d.grouped() {
		c.line(plain, "")
		g.write(c)
	}
	_, err := io.WriteString(w, c.b.String())
	return err
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// list writes names behind a title, so many as can be read.
func (d *Diff) list(c *canvas, title string, list []string, s style) {
	if len(list) == 0 {
		return
	}
	text := strings.Join(list, ", ")
	if len(list) > shownOperations {
		text = strings.Join(list[:shownOperations-2], ", ") + ", and " + thousands(len(list)-shownOperations+2) + " more"
	}
	c.paragraph(s, 0, title+": "+text)
}

// changeGroup is operations that change in the same way.
type changeGroup struct {
	change     Changed
	operations []Operation
}

func (d *Diff) grouped() []*changeGroup {
	var out []*changeGroup
next:
	for _, x := range d.Changed {
		o := Operation{ID: x.ID, Name: x.Name}
		for _, g := range out {
			if g.change.Profile == x.Profile && g.change.Variant == x.Variant && sameChange(g.change, x) {
				g.operations = append(g.operations, o)
				continue next
			}
		}
		out = append(out, &changeGroup{change: x, operations: []Operation{o}})
	}
	return out
}

// The columns of a change.
const (
	changeWidth = 34
	arrow       = " -> "
)

func (g *changeGroup) write(c *canvas) {
	title := names(g.operations)
	if g.change.Profile != "" {
		title += ", profile " + g.change.Profile
	}
	if g.change.Variant != "" {
		title += ", variant " + g.change.Variant
	}
	c.paragraph(bold, 0, title)
	value := c.width - tableIndent - changeWidth - 2
	for _, f := range g.change.Fields {
		from := ""
		if s := f.NewSource; s != nil && f.NewSource.Level != "" {
			from = "  (" + strings.TrimSpace(s.level()+" "+s.at()) + ")"
		}
		name := f.Path
		if f.Side == "server" {
			name = "server " + name
		}
		c.cells(tableIndent, cell{name, plain, changeWidth}, cell{orNone(f.Old) + arrow + orNone(f.New) + from, plain, value})
	}
	for _, x := range g.change.Consequences {
		c.cells(tableIndent, cell{"=> " + x.Name, bold, changeWidth}, cell{x.Old + arrow + x.New, x.style(), value})
	}
}

func orNone(text string) string {
	if text == "" {
		return "not set"
	}
	return text
}

// style is red for what costs more: a longer time, more requests, no bound.
func (x *Consequence) style() style {
	switch {
	case x.OldValue == nil || x.NewValue == nil:
		return yellow
	case *x.NewValue > *x.OldValue:
		return red
	}
	return green
}
