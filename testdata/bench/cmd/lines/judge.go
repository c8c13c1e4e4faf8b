package main

import (
	"fmt"
	"os"
	"text/tabwriter"
)

// line is a figure that a benchmark is held to: a share of a peer's time, or a number
// of allocations.
type line struct {
	what, ours, peer string
	most             float64 // of the peer's, or allocations where there is no peer
}

var lines = []line{
	{"server POST", "ServerPOST/holdfast", "ServerPOST/ogen", 0.5},
	{"server POST, allocations", "ServerPOST/holdfast", "", 25},
	{"server GET", "ServerGET/holdfast", "ServerGET/ogen", 0.6},
	{"server GET, allocations", "ServerGET/holdfast", "", 10},
	{"client POST", "ClientPOST/holdfast", "ClientPOST/ogen", 0.5},
	{"client POST, allocations", "ClientPOST/holdfast", "", 30},
	{"client GET", "ClientGET/holdfast", "ClientGET/ogen", 0.5},
	{"client GET, allocations", "ClientGET/holdfast", "", 20},
	{"decode", "Decode/holdfast", "Decode/ogen", 0.5},
	{"decode, strict", "Decode/holdfast-strict", "Decode/ogen", 0.5},
	{"decode, allocations", "Decode/holdfast", "", 10},
	{"encode", "Encode/holdfast", "Encode/encoding-json", 0.4},
	{"encode, allocations", "Encode/holdfast", "", 1},
	{"validate, allocations", "Validate/holdfast", "", 0},
	{"router against ogen", "Routes/holdfast", "Routes/ogen", 1},
	{"router against chi", "Routes/holdfast", "Routes/chi", 1},
	{"router, allocations", "Routes/holdfast", "", 0},
	// A thousand times the routes may cost what the larger tree costs the caches.
	{"router, 10,000 routes against 10", "Growth/10000", "Growth/10", 2},
}

// judge prints the lines and reports whether one was missed.
func judge(all samples, by string) (missed bool) {
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nline\tat most\tmeasured\t")
	for _, l := range lines {
		got, ok := measured(all, l, by)
		verdict := "met"
		switch {
		case !ok:
			verdict = "not measured"
		case got > l.most:
			verdict, missed = "missed", true
		}
		unit := ""
		if l.peer != "" {
			unit = " x"
		}
		fmt.Fprintf(w, "%s\t%v%s\t%.2f%s\t%s\n", l.what, l.most, unit, got, unit, verdict)
	}
	_ = w.Flush()
	return missed
}

func measured(all samples, l line, by string) (float64, bool) {
	if l.peer == "" {
		return all.median(l.ours, "allocs/op")
	}
	for _, unit := range []string{by, "ns/op"} { // the router has wall time only
		ours, ok := all.median(l.ours, unit)
		peer, ok2 := all.median(l.peer, unit)
		if ok && ok2 && peer > 0 {
			return ours / peer, true
		}
	}
	return 0, false
}
