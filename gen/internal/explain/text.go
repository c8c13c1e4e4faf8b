package explain

import (
	"fmt"
	"io"
	"strings"
)

// The columns of the tables: the primitive, and the part of the rest that goes to
// where a setting comes from.
const (
	tableIndent    = 2
	primitiveWidth = 12
	leastFrom      = 24
	mostFrom       = 46
)

// shownOperations is how many operations of a group are listed before their number
// stands for them.
const shownOperations = 8

// WriteText writes the report for people, as tables. All text of the document is
// escaped, so that it cannot drive a terminal.
func (r *Report) WriteText(w io.Writer, opt Options) error {
	c := newCanvas(opt)
	groups := r.groups()
	r.head(c, len(groups))
	shared := r.commonOf(groups)
	if len(shared.client)+len(shared.server) > 0 {
		c.line(plain, "")
		c.paragraph(bold, 0, "What most operations have; below stands what is otherwise")
		table(c, "client", shared.client, nil)
		table(c, "server", shared.server, nil)
	}
	for _, g := range groups {
		c.line(plain, "")
		g.write(c, shared)
	}
	_, err := io.WriteString(w, c.b.String())
	return err
}

func (r *Report) head(c *canvas, groups int) {
	c.paragraph(bold, 0, r.Title+" ("+r.Spec+")")
	text := count(len(r.Operations), "operation", "operations") + ", " + count(groups, "policy", "policies") + "; dependency " + r.Dependency
	if r.External {
		text += ", external"
	}
	if r.Replicas > 1 {
		text += ", " + count(r.Replicas, "replica", "replicas")
	}
	switch {
	case r.Profile != "":
		text += "; profile " + r.Profile
	case len(r.Profiles) > 0:
		text += "; no profile (there are " + strings.Join(r.Profiles, ", ") + ")"
	}
	c.paragraph(plain, 0, text)
}

// write writes a group: its operations, what its policy comes to, and the tables of
// both sides.
func (g *group) write(c *canvas, shared common) {
	c.paragraph(bold, 0, names(g.operations))
	g.policy.Worst.write(c, g.policy.Dependency)
	table(c, "client", beyond(g.policy.Client, shared.client), g.othersOf(false))
	table(c, "server", beyond(g.policy.Server, shared.server), g.othersOf(true))
	for _, v := range g.policy.Variants {
		c.line(plain, "")
		c.paragraph(bold, tableIndent, "variant "+v.Name+", chosen by "+strings.Join(v.When, " and "))
		v.Worst.write(c, v.Dependency)
		table(c, "client, what differs", different(v.Client, g.policy.Client), nil)
		table(c, "server, what differs", different(v.Server, g.policy.Server), nil)
	}
}

// names lists operations, so many as can be read.
func names(list []Operation) string {
	var b strings.Builder
	for i, o := range list {
		if i == shownOperations-2 && len(list) > shownOperations {
			fmt.Fprintf(&b, ", and %s more", thousands(len(list)-i))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(o.label())
	}
	return b.String()
}

// label is an operation's method and path with its id.
func (o *Operation) label() string {
	if o.ID == "" {
		return o.Name
	}
	return o.Name + " (" + o.ID + ")"
}

// write writes the numbers of the worst case.
func (w *WorstCase) write(c *canvas, dependency string) {
	value := c.width - tableIndent - primitiveWidth - 2
	put := func(name, text string, s style) {
		if text != "" {
			c.cells(tableIndent, cell{name, plain, primitiveWidth}, cell{text, s, value})
		}
	}
	limit := green
	if w.LimitMs == nil {
		limit = red
	}
	put("worst case", w.headline(), limit)
	if len(w.Timeline.Attempts) > 1 {
		put("tries", w.tries()+"; then "+w.Timeline.Stop, plain)
	}
	put("fallback", w.rungs(), plain)
	put("full outage", w.load(), plain)
	if w.Breaker != nil {
		put("breaker", w.Breaker.words()+"; "+w.Breaker.owner(dependency), plain)
	}
	for _, n := range w.Notes {
		put("note", n, yellow)
	}
}

// table writes the settings of one side.
func table(c *canvas, title string, fields []Field, others [][]Field) {
	if len(fields) == 0 {
		return
	}
	rows := rowsOf(fields, others)
	from := max(leastFrom, min(mostFrom, c.width/3+2))
	settings := c.width - tableIndent - primitiveWidth - from - 4
	c.line(dim, strings.Repeat(" ", tableIndent)+title)
	last := ""
	for _, r := range rows {
		name, s := r.primitive, plain
		if name == last {
			name = ""
		}
		last = r.primitive
		if r.builtIn() {
			s = dim
		}
		c.cells(tableIndent, cell{name, s, primitiveWidth}, cell{r.text(), s, settings}, cell{r.from(), s, from})
	}
}
