package resilience

import (
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// plan takes a limit from who calls; nil where none is written.
func (d *decoder) plan(v *value, path string) *policy.Plan {
	if v == nil || !v.object {
		return nil
	}
	if d.at == clientSide {
		d.fault([]*value{v}, "resilience-side", "%s is for servers, which tell the plans of their callers apart: a client has one limit", path)
		return nil
	}
	p := &policy.Plan{}
	if from := v.get("from"); from != nil {
		p.From = d.value(from, from.node, path+".from")
	}
	if tiers := v.get("map"); tiers != nil {
		for i, name := range tiers.keys {
			p.Tiers = append(p.Tiers, policy.PlanTier{Plan: name, Rate: d.tier(tiers.values[i], path+".map."+name)})
		}
	}
	if other := v.get("else"); other != nil {
		p.Else = d.tier(other, path+".else")
	}
	return p
}

// tier is the rate of a preset; the tier unlimited has none.
func (d *decoder) tier(v *value, path string) policy.Rate {
	var s slot
	d.reset(&s, primitiveOf("rateLimit"), v.node.Text, v.at, v.weight)
	r, _ := d.rate(s.fields, "", path)
	return r
}

// costOfPlan reports a price that one of the plans could never pay.
func (d *decoder) costOfPlan(v *value, b *policy.Bucket, path string) {
	for _, t := range append([]policy.PlanTier{{Plan: "else", Rate: b.Plan.Else}}, b.Plan.Tiers...) {
		if most := t.Rate.Burst; most > 0 && b.Cost > most {
			d.fault([]*value{v}, "resilience-range", "%s.cost %d is above burst %d of the plan %s and could never be paid", path, b.Cost, most, t.Plan)
			return
		}
	}
}

// inputs are the expressions that decide what is taken, beside the key.
func (d *decoder) inputs(b *policy.Bucket) []policy.Expr {
	out := []policy.Expr{b.CostFrom}
	if b.Plan != nil {
		out = append(out, b.Plan.From)
	}
	return out
}

// sync is the client's: a server does not follow itself.
func (d *decoder) sync(v *value, b *policy.Bucket, path string) {
	switch {
	case v == nil || !v.object:
	case d.at == serverSide:
		d.fault([]*value{v}, "resilience-side", "%s.sync is for clients: it follows the numbers that a server sends", path)
	default:
		s := policy.Sync{
			Remaining: v.word("remaining"), Reset: v.word("reset"), Bucket: v.word("bucket"),
			As: enum(v.word("as"), policy.HintUnit.String),
		}
		if s.Remaining == "" && s.Reset == "" {
			d.fault([]*value{v}, "resilience-missing", "%s.sync names no header with a number: want remaining, reset or both", path)
		}
		b.Sync = &s
	}
}

// proxies are whom a server believes about $ip.
func (d *decoder) proxies(v *value, path string) []string {
	if v == nil {
		return nil
	}
	if d.at == clientSide {
		d.fault([]*value{v}, "resilience-side", "%s.trustedProxies is for servers: a client knows no $ip", path)
		return nil
	}
	var out []string
	for _, n := range items(v.node) {
		out = append(out, n.Text)
	}
	return out
}

// texts are the strings of a list among the members.
func (v *value) texts(name string) []string {
	var out []string
	for _, n := range v.list(name) {
		if n.Is(load.String) {
			out = append(out, n.Text)
		}
	}
	return out
}
