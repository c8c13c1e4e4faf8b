package explain

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/templates"
)

// page is what the template of the HTML form shows. Only Style and Script are
// trusted: they are files of our own and hold nothing of a document.
type page struct {
	Title, Spec string
	// Policy is the Content-Security-Policy: nothing is fetched, and the one style
	// and the one script are named by their hashes.
	Policy string
	Style  template.CSS
	Script template.JS
	Facts  []string
	Index  []indexRow
	// Long says that the index is too long to stand above the rest in full.
	Long  bool
	Cards []card
}

type indexRow struct {
	Card, Find, Method, Path, ID string
	Limit, Tries, Requests       string
}

type card struct {
	ID, Heading string
	// Folded is the line that stands for a long list of operations.
	Folded     string
	Operations []indexRow
	Views      []viewCard
}

type viewCard struct {
	Heading  string
	Tiles    []tile
	Notes    []string
	Timeline *chart
	Load     *chart
	Breaker  *breakerCard
	Sides    []sideTable
}

type tile struct{ Name, Value, More string }

type breakerCard struct{ Name, Closed, Open, HalfOpen string }

type sideTable struct {
	Title string
	Rows  []settingRow
}

type settingRow struct {
	Class, Primitive, From, At string
	Settings                   []setting
}

type setting struct{ Name, Value string }

// longIndex is how many operations an index lists in full height.
const longIndex = 40

// foldedFrom is how many operations a card lists before it folds them.
const foldedFrom = 6

// WriteHTML writes the report as one page that needs nothing else: no network, no
// file beside it.
func (r *Report) WriteHTML(w io.Writer) error {
	style, err := templates.Files.ReadFile("explain.css.tmpl")
	if err != nil {
		return err
	}
	script, err := templates.Files.ReadFile("explain.js.tmpl")
	if err != nil {
		return err
	}
	t, err := template.ParseFS(templates.Files, "explain.html.tmpl")
	if err != nil {
		return err
	}
	p := &page{
		Title: r.Title, Spec: r.Spec, Style: template.CSS(style), Script: template.JS(script), //nolint:gosec // Our own files.
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(style), hashOf(script)),
	}
	if p.Title == "" {
		p.Title = r.Spec
	}
	r.fill(p)
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// hashOf is a text as a Content-Security-Policy names it.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (r *Report) fill(p *page) {
	groups := r.groups()
	p.Facts = []string{count(len(r.Operations), "operation", "operations"), count(len(groups), "policy", "policies"), "dependency " + r.Dependency}
	if r.External {
		p.Facts = append(p.Facts, "external")
	}
	if r.Replicas > 1 {
		p.Facts = append(p.Facts, count(r.Replicas, "replica", "replicas"))
	}
	if r.Profile != "" {
		p.Facts = append(p.Facts, "profile "+r.Profile)
	}
	p.Long = len(r.Operations) > longIndex
	byPolicy := map[*Policy]int{}
	for i, g := range groups {
		byPolicy[g.policy] = i
		for _, other := range g.others {
			byPolicy[other] = i
		}
		p.Cards = append(p.Cards, g.card(fmt.Sprintf("policy-%d", i+1)))
	}
	for _, o := range r.Operations {
		policy := r.Policies[o.Policy]
		p.Index = append(p.Index, o.row(p.Cards[byPolicy[policy]].ID, policy.Worst))
	}
}

func (o *Operation) row(card string, w *WorstCase) indexRow {
	// A webhook or a callback says so in its name, and has the method last.
	shown := strings.TrimSuffix(strings.TrimPrefix(o.Name, o.Method+" "), ": "+o.Method)
	return indexRow{
		Card: card, Method: o.Method, Path: shown, ID: o.ID,
		Find:  strings.ToLower(strings.Join(append([]string{o.Name, o.ID}, o.Tags...), " ")),
		Limit: spanOf(w.LimitMs), Tries: strconv.Itoa(w.Load.Tries), Requests: strconv.Itoa(w.Load.Requests),
	}
}

func (g *group) card(id string) card {
	c := card{ID: id, Heading: count(len(g.operations), "operation", "operations")}
	if len(g.operations) == 1 {
		c.Heading = g.operations[0].label()
	} else {
		for _, o := range g.operations {
			c.Operations = append(c.Operations, o.row(id, g.policy.Worst))
		}
	}
	if len(g.operations) > foldedFrom {
		c.Folded = names(g.operations[:2]) + ", …"
	}
	main := g.policy.View.card("")
	main.Sides = append(main.Sides, tableOf("Client", rowsOf(g.policy.Client, g.othersOf(false))), tableOf("Server", rowsOf(g.policy.Server, g.othersOf(true))))
	c.Views = append(c.Views, main)
	for _, v := range g.policy.Variants {
		view := v.View.card("Variant " + v.Name + ", chosen by " + strings.Join(v.When, " and "))
		for _, side := range []sideTable{
			tableOf("Client, what differs", rowsOf(different(v.Client, g.policy.Client), nil)),
			tableOf("Server, what differs", rowsOf(different(v.Server, g.policy.Server), nil)),
		} {
			if len(side.Rows) > 0 {
				view.Sides = append(view.Sides, side)
			}
		}
		c.Views = append(c.Views, view)
	}
	return c
}

func (v *View) card(heading string) viewCard {
	w := v.Worst
	out := viewCard{Heading: heading, Notes: w.Notes, Tiles: w.tiles(), Timeline: w.timelineChart(), Load: w.loadChart()}
	if w.Breaker != nil {
		out.Breaker = w.Breaker.card(v.Dependency)
	}
	return out
}

// tiles are the four numbers that a reader wants first.
func (w *WorstCase) tiles() []tile {
	total := tile{Name: "A call is over after", Value: spanOf(w.LimitMs), More: "whatever happens"}
	if w.LimitIsSum {
		total.More = "the sum of its parts, there is no total"
	}
	if w.LimitMs == nil {
		total.More = "nothing bounds the whole call"
	}
	hang := tile{Name: "When it hangs, after", Value: spanOf(w.HangingMs), More: count(len(w.Timeline.Attempts), "try", "tries") + ", at the latest"}
	load := tile{Name: "Requests a call", Value: number(float64(w.Load.Requests)), More: "when everything fails"}
	if b := w.Load.Budget; b != nil && w.Load.Requests > 1 {
		load.More = "at most; " + number(b.Factors[1].RequestsPer) + " with the budget at " + number(b.Factors[1].CallsPerSecond) + " calls/s"
	}
	breaker := tile{Name: "Breaker opens after", Value: "never", More: "there is none, or it cannot"}
	if w.Breaker != nil && w.Breaker.OpensAfter > 0 {
		breaker.Value = count(w.Breaker.OpensAfter, "failure", "failures")
		breaker.More = "for " + spanMs(w.Breaker.OpenMinMs) + " to " + spanMs(w.Breaker.OpenMaxMs)
	}
	return []tile{total, hang, load, breaker}
}

// card says what each state of the breaker does.
func (b *Breaker) card(dependency string) *breakerCard {
	c := &breakerCard{Name: b.owner(dependency)}
	c.Closed = "Calls pass. It opens after " + count(b.OpensAfter, "failed call", "failed calls")
	if b.WithinMs > 0 {
		c.Closed += " within " + spanMs(b.WithinMs)
	}
	c.Closed += "."
	if b.OpensAfter == 0 {
		c.Closed = "Calls pass. It never opens."
	}
	if b.Shadow {
		c.Closed += " A shadow: it only reports."
	}
	c.Open = "Calls fail at once, none is sent, for " + spanMs(b.OpenMinMs) + " to " + spanMs(b.OpenMaxMs) + "."
	c.HalfOpen = count(b.Probes, "call probes", "calls probe") + " it, one try each. " + count(b.Probes, "success closes", "successes close") + " it, a failure opens it again"
	if b.LongestOpenMs > b.OpenMaxMs {
		c.HalfOpen += ", each time for longer, up to " + spanMs(b.LongestOpenMs)
	}
	c.HalfOpen += "."
	return c
}

func tableOf(title string, rows []*row) sideTable {
	t := sideTable{Title: title}
	last := ""
	for _, r := range rows {
		out := settingRow{Primitive: r.primitive, From: r.source.level(), At: r.source.at()}
		if r.others > 0 {
			out.At += fmt.Sprintf(" and %d more", r.others)
		}
		for i, path := range r.paths {
			out.Settings = append(out.Settings, setting{path, r.values[i]})
		}
		var classes []string
		if r.primitive == last {
			classes = append(classes, "same")
			out.Primitive = ""
		}
		if r.builtIn() {
			classes = append(classes, "default")
		}
		out.Class, last = strings.Join(classes, " "), r.primitive
		t.Rows = append(t.Rows, out)
	}
	return t
}
