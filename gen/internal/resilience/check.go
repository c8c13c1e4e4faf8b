package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// checker reports what is wrong with annotations by themselves, before they are
// merged. What it has refused takes no part in the merge.
type checker struct {
	list    *diag.List
	bad     map[*load.Node]bool
	presets map[string]*presets // by primitive
	// pending accepts what this version does not act on yet.
	pending bool
	// alone says that an overlay is read without the document that it is for.
	alone bool
	// waived are critical findings that the configuration accepts, with the reason.
	waived map[string]string
}

// fail reports an error at a value and is false.
func (c *checker) fail(n *load.Node, code, format string, args ...any) bool {
	c.list.Error(n.Pos(), code, n.Pointer(), format, args...)
	return false
}

func (c *checker) wrongType(n *load.Node, path, want string) bool {
	return c.fail(n, "resilience-type", "%s must be %s, got %s", path, want, found(n))
}

// notYet reports a value of the language that this version does not act on yet. It
// is no fault of the value, which takes part in the merge.
func (c *checker) notYet(n *load.Node, what string) {
	if !c.pending {
		c.fail(n, "resilience-unsupported", "%s is not supported yet", what)
	}
}

// notYetKey is notYet for a field: the place is its key.
func (c *checker) notYetKey(m load.Member, path string) {
	if !c.pending {
		c.list.Error(m.Pos(), "resilience-unsupported", m.Value.Pointer(), "%s is not supported yet", path)
	}
}

// unknownKey reports a key that the language does not have.
func (c *checker) unknownKey(m load.Member, path string, known []string) {
	c.bad[m.Value] = true
	d := c.list.Error(m.Pos(), "resilience-unknown-key", m.Value.Pointer(), "%s: unknown key %s", path, shown(m.Key))
	if near, ok := diag.Nearest(m.Key, known); ok {
		d.Hintf("did you mean %s?", near)
		return
	}
	d.Hintf("known here: %s", strings.Join(known, ", "))
}

// primitive checks the value of one primitive on the sides that it comes to.
func (c *checker) primitive(p *primitive, m load.Member, path string, at side) {
	n := m.Value
	ok := true
	switch {
	case n.Is(load.Null), n.Is(load.Bool):
	case n.Is(load.String):
		ok = c.name(p, n, path)
	case n.Is(load.Object):
		ok = c.settings(p, n, path)
	case n.Is(load.Array) && p.list != "":
		f, _ := p.object.field(p.list)
		ok = f.shape.check(c, n, path)
	case p.name == "timeout" && n.Is(load.Number):
		ok = duration{}.check(c, n, path)
	case p.presets:
		ok = c.wrongType(n, path, "a mapping, the name of a preset, true, false or null")
	default:
		ok = c.wrongType(n, path, "a mapping, true, false or null")
	}
	// A mapping with one bad field still stands for the others.
	if !ok && !n.Is(load.Object) {
		c.bad[n] = true
	}
	if turnedOff(n) {
		return
	}
	if p.name == "shed" {
		c.shedPlace(m, path)
	}
	if on := p.pending & at; on != 0 && (ok || n.Is(load.Object)) {
		if p.pending&p.bare != p.bare && on != p.bare {
			path += " on the " + on.String()
		}
		c.notYetKey(m, path)
	}
}

// shedPlace reports load shedding anywhere but in a place that says it for the whole
// server. A policy by name is looked at where it ends up: all operations that shed
// have to agree.
func (c *checker) shedPlace(m load.Member, path string) {
	rest, ok := strings.CutPrefix(path, key+".")
	place, rest, _ := strings.Cut(rest, ".")
	if ok && (place == "defaults" || place == "policies" || place == "profiles" && profileAll(rest)) {
		return
	}
	c.bad[m.Value] = true
	c.list.Error(m.Pos(), "resilience-place", m.Value.Pointer(), "%s is for the whole server: it may stand in defaults and in the all of a profile", path).
		Hintf("shed: false is how an operation is never refused")
}

// profileAll reports whether a path below profiles is that of a profile's all. The
// name of a profile may have dots.
func profileAll(path string) bool {
	all, operations := strings.Index(path, ".all."), strings.Index(path, ".operations.")
	return all >= 0 && (operations < 0 || all < operations)
}

// name checks a string in the place of a primitive.
func (c *checker) name(p *primitive, n *load.Node, path string) bool {
	switch {
	case p.name == "timeout" && startsLikeDuration(n.Text):
		return duration{}.check(c, n, path)
	case !p.presets:
		return c.wrongType(n, path, "a mapping, true, false or null")
	}
	return c.preset(p, n, path)
}

// startsLikeDuration tells a timeout from the name of a preset.
func startsLikeDuration(text string) bool {
	return text != "" && (text[0] >= '0' && text[0] <= '9' || strings.IndexByte(".+-", text[0]) >= 0)
}

// settings checks an object in the place of a primitive: its own fields and those
// that every primitive has.
func (c *checker) settings(p *primitive, n *load.Node, path string) bool {
	o := *p.object
	o.also = []string{"mode", "enabled"}
	if p.presets {
		o.also = append(o.also, "preset")
	}
	if p.tier {
		o.also = append(o.also, "tier")
	}
	ok := o.check(c, n, path)
	var preset load.Member
	for _, m := range n.Members {
		if !slices.Contains(o.also, m.Key) {
			continue
		}
		var good bool
		switch {
		case m.Key == "mode":
			good = c.mode(m.Value, path+".mode")
		case m.Key == "enabled":
			good = flag{}.check(c, m.Value, path+".enabled")
		case preset.Value != nil:
			good = c.exclusive(path, preset, m)
		default:
			good = c.presetKey(p, m.Value, path+"."+m.Key)
			preset = m
		}
		if !good {
			c.bad[m.Value] = true
			ok = false
		}
	}
	if p.name != "rateLimit" || preset.Value == nil {
		return ok
	}
	for _, name := range []string{"buckets", "plan"} {
		if m, is := n.Member(name); is && !turnedOff(m.Value) {
			return c.exclusive(path, preset, m)
		}
	}
	return ok
}

// exclusive reports two fields of which only one may stand.
func (c *checker) exclusive(path string, first, second load.Member) bool {
	if second.Value.Line < first.Value.Line || second.Line == first.Line && second.Col < first.Col {
		first, second = second, first
	}
	c.list.Error(second.Pos(), "resilience-conflict", second.Value.Pointer(), "%s: %s and %s exclude each other", path, first.Key, second.Key).
		At(first.Pos(), "%s stands here", first.Key)
	return false
}

func (c *checker) mode(n *load.Node, path string) bool {
	if isOff(n) {
		return true
	}
	if n.Is(load.Bool) {
		return c.wrongType(n, path, "enforce, shadow or off")
	}
	return choice{words: []string{"enforce", "shadow", "off"}}.check(c, n, path)
}

func (c *checker) presetKey(p *primitive, n *load.Node, path string) bool {
	if !n.Is(load.String) {
		return c.wrongType(n, path, "the name of a preset")
	}
	return c.preset(p, n, path)
}

// preset checks that a preset is there and built.
func (c *checker) preset(p *primitive, n *load.Node, path string) bool {
	table := c.presets[p.name]
	if e, ok := table.byName[n.Text]; ok {
		if e.unsupported {
			c.notYet(n, path+": the preset "+n.Text)
		}
		return true
	}
	if c.alone {
		c.list.Warn(n.Pos(), "resilience-unknown-preset", n.Pointer(), "%s: the overlay has no %s preset %s: the document has to have it", path, p.name, shown(n.Text))
		return false
	}
	names := table.names()
	d := c.list.Error(n.Pos(), "resilience-unknown-preset", n.Pointer(), "%s: there is no %s preset %s, only %s", path, p.name, shown(n.Text), and(names))
	switch near, ok := diag.Nearest(n.Text, names); {
	case slices.Contains([]string{"off", "no", "none", "disabled"}, strings.ToLower(n.Text)):
		// YAML 1.1 read the first two as false; this reader knows 1.2.
		d.Hintf("false turns it off")
	case ok:
		d.Hintf("did you mean %s?", near)
	}
	return false
}

// bucketShape is one of several limits: a tier's name, or a limit.
type bucketShape struct{}

func (bucketShape) check(c *checker, n *load.Node, path string) bool {
	limit := primitiveOf("rateLimit")
	if n.Is(load.String) {
		return c.preset(limit, n, path)
	}
	ok := bucketObject.check(c, n, path)
	if plan, has := n.Member("plan"); has && !turnedOff(plan.Value) {
		for _, name := range bucketObject.also {
			if m, is := n.Member(name); is {
				return c.exclusive(path, m, plan)
			}
		}
	}
	for _, name := range bucketObject.also {
		if m, has := n.Member(name); has && !c.presetKey(limit, m.Value, path+"."+name) {
			c.bad[m.Value] = true
			ok = false
		}
	}
	return ok
}
