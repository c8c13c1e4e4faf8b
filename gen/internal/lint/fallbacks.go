package lint

import (
	"fmt"
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var fallbackChecks = []func(*view){whenUnknown, fallbackOnWrite, largeReserve, fallbackMissing, hedges}

// whenUnknown only looks for a waiver: the reader of annotations has reported the rung
// where there is none.
func whenUnknown(v *view) {
	f := v.v.Client.Fallback
	if f == nil || v.v.Client.Effect != policy.Write {
		return
	}
	unknown := func(r policy.Rung) bool { return r.WhenUnknown && r.Kind.Repeats() }
	if !slices.ContainsFunc(f.Rungs, unknown) {
		return
	}
	at := v.at(client, "fallback.rungs")
	if reason, waived := v.v.Waive[catalog.FallbackWhenUnknown]; waived {
		v.accept(catalog.FallbackWhenUnknown, reason, at)
	} else if reason, waived := v.in.Waive[catalog.FallbackWhenUnknown]; waived {
		v.accept(catalog.FallbackWhenUnknown, reason, at)
	}
}

func fallbackOnWrite(v *view) {
	f := v.v.Client.Fallback
	if f == nil || v.v.Client.Effect != policy.Write {
		return
	}
	for _, r := range f.Rungs {
		switch r.Kind {
		case policy.RungStatic:
			if r.Status >= 400 {
				continue // an error in better words
			}
		case policy.RungEmpty, policy.RungCache, policy.RungSemanticCache:
		default:
			continue
		}
		v.found("fallback-on-write", v.at(client, "fallback.rungs"), fmt.Sprintf("a write is answered by the rung %s, which does nothing", r.Kind))
		return
	}
}

func largeReserve(v *view) {
	t, f := v.v.Client.Timeout, v.v.Client.Fallback
	if t == nil || f == nil || t.Total <= 0 || t.Total < t.Attempt {
		return
	}
	left := t.Total
	for _, r := range f.Reserves() {
		left -= r
	}
	if left >= t.Attempt {
		return
	}
	g := v.found("fallback-reserve-large", v.at(client, "timeout.total", "fallback.reserve", "fallback.rungs"),
		fmt.Sprintf("the rungs leave the call %s of its total %s, and an attempt takes %s", spanText(max(left, 0)), spanText(t.Total), spanText(t.Attempt)))
	v.mendHere(g, client, "timeout.total", spanText(t.ComputedTotal(v.v.Client.Retry, f.Reserves()...)))
}

func fallbackMissing(v *view) {
	c := &v.v.Client
	if c.Criticality == policy.Critical && c.Effect == policy.Read && c.Fallback == nil {
		v.found("fallback-missing", v.at(client, "criticality"), "a critical read has no fallback")
	}
}

func hedges(v *view) {
	c := &v.v.Client
	if c.Hedge == nil {
		return
	}
	at, _ := v.within(client, "hedge")
	if c.Retry != nil && c.Retry.Budget == nil {
		v.found("hedge-without-budget", at, "calls are hedged without a budget")
	}
	if verb := command(v.op); verb != "" && v.fields[client]["effect"].Source.Pos.Line == 0 {
		v.found("hedge-on-command", at, "a call that looks like a command ("+verb+") is hedged")
	}
}
