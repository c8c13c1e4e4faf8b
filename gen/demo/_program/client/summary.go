package main

import (
	"fmt"
	"strconv"
	"text/tabwriter"
)

// summary is the table of what came of all calls.
func (s *stage) summary() error {
	effects, err := s.control.effects(s.ctx)
	if err != nil {
		return err
	}
	s.sayf("\nSummary\n\n")
	t := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "operation\tcalls\ttries\tsaved\tfailed\trefused\tsent writes\teffects\t")
	var all count
	writes, done, others := 0, 0, 0
	for _, c := range s.calls {
		n := s.counts[c.ID]
		if n == nil || n.calls == 0 {
			continue
		}
		all.calls, all.tries, all.saved = all.calls+n.calls, all.tries+n.tries, all.saved+n.saved
		all.failed, all.refused = all.failed+n.failed, all.refused+n.refused
		sent, effect := "-", "-"
		if c.Effect == "write" {
			sent, effect = strconv.Itoa(n.tries), strconv.Itoa(effects[c.ID])
			writes, done = writes+n.tries, done+effects[c.ID]
		}
		if len(s.calls) > mostShown && n.calls == 1 && n.tries == 1 && n.failed == 0 {
			others++ // met no fault
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", c.ID, n.calls, n.tries, n.saved, n.failed, n.refused, sent, effect)
	}
	if others > 0 {
		fmt.Fprintf(t, "%s\t%d\t%d\t0\t0\t0\t \t \t\n", plural(others, "other", "others"), others, others)
	}
	fmt.Fprintf(t, "all\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", all.calls, all.tries, all.saved, all.failed, all.refused, writes, done)
	if err := t.Flush(); err != nil {
		return err
	}
	s.sayf("\nsaved: succeeded although a try had failed. refused: by the open breaker, nothing was sent.\n")
	for _, c := range s.calls {
		if n := s.counts[c.ID]; n != nil && n.unsampled {
			s.sayf("not called: %s, its sample does not fit\n", c.ID)
		}
	}
	return nil
}
