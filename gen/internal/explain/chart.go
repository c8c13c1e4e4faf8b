package explain

import (
	"fmt"
	"strings"
)

// chart is an SVG picture. Places across are in percent, so that it fits any width
// with its text as large as the page's; places down are pixels.
type chart struct {
	Height  int
	Label   string
	Caption string
	Ticks   []tick
	Bars    []bar
	LimitX  string
	AxisY   int
}

type tick struct {
	X, Anchor, Text string
	Y, TextY        int
}

// bar is one row: its text, and below it the bar, with the wait before it as a thin
// line.
type bar struct {
	Class, Text      string
	TextY, Y         int
	X, Width         string
	HasWait          bool
	WaitX, WaitWidth string
	WaitY            int
}

// The measures of a row and of the axis, in pixels.
const (
	rowHeight  = 38
	textOffset = 15
	barOffset  = 21
	axisHeight = 22
)

// timelineChart is the call that hangs; nil where it makes no try.
func (w *WorstCase) timelineChart() *chart {
	attempts := w.Timeline.Attempts
	if len(attempts) == 0 {
		return nil
	}
	end := 0.0
	for _, a := range attempts {
		end = max(end, a.StartMs)
		if a.EndMs != nil {
			end = max(end, *a.EndMs)
		}
	}
	for _, r := range w.Rungs {
		end = max(end, r.EndMs)
	}
	c := &chart{}
	// A limit that lies far beyond the tries would squeeze them; the tile has it.
	if w.LimitMs != nil && !w.LimitIsSum && *w.LimitMs <= 3*end {
		end = max(end, *w.LimitMs)
		c.LimitX = percent(*w.LimitMs, end)
	}
	if end <= 0 {
		end = 1000 // a try that never ends, or ends at once
	}
	before := 0.0
	for _, a := range attempts {
		b := c.add("try", fmt.Sprintf("Try %d: %s", a.Number, spanMs(a.StartMs)))
		until := end
		if a.EndMs != nil {
			until = *a.EndMs
			b.Text += " – " + spanMs(until) + " (" + a.EndsBy + ")"
		} else {
			b.Text += " – (nothing ends it)"
		}
		if a.EndsBy == cutTotal {
			b.Class = "cut"
		}
		b.place(a.StartMs, until, end)
		if a.StartMs > before {
			b.HasWait, b.WaitX, b.WaitWidth, b.WaitY = true, percent(before, end), percent(a.StartMs-before, end), b.Y+4
		}
		before = until
	}
	for _, r := range w.Rungs {
		text := strings.TrimSpace("Fallback: " + r.Kind + " " + r.Name)
		switch {
		case r.Skipped:
			text += ", left out"
		case r.EndMs > r.StartMs:
			text += ", up to " + spanMs(r.EndMs)
		default:
			text += ", at once"
		}
		b := c.add("rung", text)
		b.place(r.StartMs, r.EndMs, end)
	}
	c.axis(end)
	c.Caption = "After the last try: " + w.Timeline.Stop + "."
	if c.LimitX != "" {
		c.Caption += " The dashed line is the total of " + spanOf(w.LimitMs) + "."
	}
	c.Label = "Timeline: " + w.tries()
	return c
}

// cutTotal is the word for a try that the end of the call cuts short.
const cutTotal = "end of the call"

// loadChart is the number of requests for each call; nil where it is always one.
func (w *WorstCase) loadChart() *chart {
	l := &w.Load
	if l.Requests < 2 {
		return nil
	}
	c := &chart{}
	most := float64(l.Requests)
	row := func(class, text string, n float64) {
		c.add(class, text+": "+number(n)).Width = percent(n, most)
	}
	row("cut", "Without a budget", most)
	if l.Budget != nil {
		for _, f := range l.Budget.Factors {
			if f.CallsPerSecond == 0 {
				row("try", "With the budget, at any higher rate", f.RequestsPer)
				continue
			}
			row("try", fmt.Sprintf("With the budget, at %s calls/s", number(f.CallsPerSecond)), f.RequestsPer)
		}
	}
	c.Height = len(c.Bars)*rowHeight + 4
	c.Caption = fmt.Sprintf("%s, when it answers %s.", count(l.Tries, "try", "tries"), failureWord(l.By))
	if l.Hedges > 0 {
		c.Caption += " Beside each try, " + count(l.Hedges, "hedge", "hedges") + "."
	}
	if l.RungRequests > 0 {
		c.Caption += " The fallback asks " + count(l.RungRequests, "other place", "other places") + "."
	}
	if l.Budget != nil {
		c.Caption += fmt.Sprintf(" The budget pays %s further requests for each call and %s more in a second, for the whole dependency; an open breaker stops all of it.",
			number(l.Budget.Ratio), number(l.Budget.MinPerSecond))
	}
	c.Label = "Requests for each call: " + w.load()
	return c
}

// add begins a row.
func (c *chart) add(class, text string) *bar {
	y := len(c.Bars) * rowHeight
	c.Bars = append(c.Bars, bar{Class: class, Text: text, TextY: y + textOffset, Y: y + barOffset, X: "0%"})
	return &c.Bars[len(c.Bars)-1]
}

// place puts a bar between two times; one without length is still seen.
func (b *bar) place(from, to, end float64) {
	from, to = min(from, end), min(to, end)
	least := end / 200
	if to-from < least {
		from = max(0, min(from, end-least))
		to = from + least
	}
	b.X, b.Width = percent(from, end), percent(to-from, end)
}

// axis draws the scale below the rows.
func (c *chart) axis(end float64) {
	c.AxisY = len(c.Bars)*rowHeight + 2
	c.Height = c.AxisY + axisHeight
	step := stepFor(end)
	for i := 0; ; i++ {
		at := float64(i) * step
		if at > end*1.0001 || i > 10 {
			return
		}
		anchor := "middle"
		switch {
		case i == 0:
			anchor = "start"
		case at > end*0.96:
			anchor = "end"
		}
		c.Ticks = append(c.Ticks, tick{X: percent(at, end), Anchor: anchor, Text: spanMs(at), Y: c.AxisY, TextY: c.AxisY + 15})
	}
}

// steps are the distances of ticks that people read with ease, in milliseconds.
var steps = []float64{
	1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1200e3, 1800e3, 3600e3, 2 * 3600e3, 6 * 3600e3, 24 * 3600e3,
}

// stepFor is the least of them that gives five ticks at most.
func stepFor(end float64) float64 {
	for _, s := range steps {
		if end/s <= 5 {
			return s
		}
	}
	return end
}

// percent is a place across.
func percent(at, end float64) string { return fmt.Sprintf("%.3f%%", 100*min(1, max(0, at/end))) }
