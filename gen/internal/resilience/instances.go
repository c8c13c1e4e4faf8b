package resilience

import (
	"reflect"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// instance names one breaker, bulkhead, bucket or budget of a partition.
type instance struct {
	group group
	side  side
	kind  string // breaker, bulkhead, bucket, retry budget
	// dependency and name are the partition; the name of a breaker is its scope.
	dependency, name string
	// own says that it is one operation's, which its variants share; name is that
	// of the operation.
	own bool
}

// member is an operation's idea of an instance.
type member struct {
	operation *operation
	settings  any // what has to agree
	at        *load.Node
	// follow takes the settings of the others: a single try takes nothing from the
	// budget of its dependency, it only adds to it. nil for who has a say.
	follow func(settings any)
}

// sameInstances reports operations that name one instance with different settings:
// whoever came first would decide for the others.
// Under each profile the operations have to agree: an instance is made once in a
// process, which has one profile. Variants of an operation share its own instances.
func (m *merger) sameInstances(views []*operation) {
	reported := map[instanceOf]bool{}
	m.agreeUnder("", views, reported)
	for _, p := range m.profiles {
		m.agreeUnder(p.name, views, reported)
	}
}

// instanceOf is what one operation says about an instance.
type instanceOf struct {
	instance  instance
	operation *ir.Operation
	variant   string
}

// under are the views that a process has which runs under a profile.
func under(profile string, views []*operation) []*operation {
	has := map[*ir.Operation]bool{}
	for _, v := range views {
		if v.profile == profile {
			has[v.op] = true
		}
	}
	var out []*operation
	for _, v := range views {
		if v.profile == profile || v.profile == "" && !has[v.op] {
			out = append(out, v)
		}
	}
	return out
}

func (m *merger) agreeUnder(profile string, views []*operation, reported map[instanceOf]bool) {
	var order []instance
	members := map[instance][]member{}
	add := func(i instance, x member) {
		if members[i] == nil {
			order = append(order, i)
		}
		members[i] = append(members[i], x)
	}
	for _, o := range under(profile, views) {
		o.clientInstances(add)
		o.limits(add, clientSide, o.result.Client.Bulkhead, o.result.Client.RateLimit)
		o.limits(add, serverSide, o.result.Server.Bulkhead, o.result.Server.RateLimit)
		if s := o.result.Server.Shed; s != nil {
			add(instance{o.group, serverSide, "load shedding", "server", "", false}, member{operation: o, settings: *s, at: o.server["shed"].at})
		}
	}
	for _, i := range order {
		m.agree(i, members[i], reported)
	}
}

// clientInstances are the breaker and the retry budget.
func (o *operation) clientInstances(add func(instance, member)) {
	if b := o.result.Client.Breaker; b != nil {
		same := *b
		// Only these may differ; what the key names tells instances apart.
		same.SlowCall, same.Scope, same.Key = 0, 0, nil
		name, own := b.Scope.String(), false
		switch {
		case len(b.Key) > 0:
			name = "key"
		case b.Scope == policy.ScopeOperation:
			name, own = o.id(), true
		}
		add(instance{o.group, clientSide, "breaker", o.dependency, name, own}, member{operation: o, settings: same, at: o.client["breaker"].at})
	}
	if r := o.result.Client.Retry; r != nil && r.Budget != nil {
		s := o.client["retry"]
		at := s.at
		b := s.fields.get("budget")
		if b.written() && b.at != nil {
			at = b.at
		}
		x := member{operation: o, settings: *r.Budget, at: at}
		if r.MaxAttempts < 2 && !b.written() {
			x.follow = func(settings any) { *r.Budget = settings.(policy.Budget) } //nolint:forcetypeassert // All members of a budget have one.
		}
		add(instance{o.group, clientSide, "retry budget", o.dependency, "", false}, x)
	}
}

// limits are the bulkhead and the named buckets of a side.
func (o *operation) limits(add func(instance, member), s side, b *policy.Bulkhead, r *policy.RateLimit) {
	slots := o.client
	if s == serverSide {
		slots = o.server
	}
	if b != nil {
		same := *b
		same.Timeout, same.Hold, same.Name = 0, 0, ""
		add(instance{o.group, s, "bulkhead", o.dependency, b.Name, false}, member{operation: o, settings: same, at: slots["bulkhead"].at})
	}
	if r == nil {
		return
	}
	for _, bucket := range r.Buckets {
		name, own := bucket.Name, bucket.Name == ""
		if own {
			name = o.id()
		}
		same := bucket
		same.Cost, same.CostFrom, same.CostActual, same.Wait, same.Refund = 0, policy.Expr{}, policy.Expr{}, 0, policy.Statuses{}
		at := slots["rateLimit"].at
		if v := slots["rateLimit"].fields.get("buckets").get(bucket.Name); v.written() && v.at != nil {
			at = v.at
		}
		add(instance{o.group, s, "bucket", o.dependency, name, own}, member{operation: o, settings: same, at: at})
	}
}

// agree compares what operations say about an instance with what most of them
// say.
func (m *merger) agree(i instance, all []member, reported map[instanceOf]bool) {
	usual := usualOf(all)
	for _, x := range all {
		fields := differences(x.settings, usual.settings)
		at := instanceOf{i, x.operation.op, x.operation.variant}
		switch {
		case len(fields) == 0 || reported[at]:
		case x.follow != nil:
			x.follow(usual.settings)
		default:
			reported[at] = true
			m.disagree(i, x, usual, fields)
		}
	}
}

// usualOf is what most of those say that have a say.
func usualOf(all []member) member {
	voters := slices.DeleteFunc(slices.Clone(all), func(x member) bool { return x.follow != nil })
	if len(voters) == 0 {
		voters = all
	}
	usual, most := voters[0], 0
	for n, x := range voters {
		count := 0
		for _, y := range voters {
			if reflect.DeepEqual(x.settings, y.settings) {
				count++
			}
		}
		if count > most {
			usual, most = x, count
		}
		if count*2 > len(voters) || n > 50 {
			break // a majority, or too many opinions to weigh them all
		}
	}
	return usual
}

func (m *merger) disagree(i instance, x, usual member, fields []string) {
	name := i.dependency
	if i.name != "" && i.kind != "breaker" {
		name += "/" + i.name
	}
	pos, pointer := x.place()
	d := m.list.Error(pos, "resilience-instance", pointer, "%s: the %s %s is shared, and is set otherwise here than by %s: %s",
		key, i.kind, shown(name), usual.operation.name(), and(fields))
	at, _ := usual.place()
	d.At(at, "%s has it from here", usual.operation.name())
	if x.operation.op == usual.operation.op {
		d.Hintf("the variants of an operation share what it has")
		return
	}
	switch i.kind {
	case "breaker":
		d.Hintf("give the operation one of its own: scope: operation")
	case "load shedding":
		d.Hintf("it is one for the whole server: write it in %s.defaults", key)
	case "retry budget":
		d.Hintf("one budget serves the whole dependency: write it in %s.defaults", key)
	default:
		d.Hintf("give the operation one of its own by another name")
	}
}

// place is where an operation's idea of an instance comes from: the operation
// itself where that is the built-in policy.
func (x member) place() (diag.Pos, string) {
	if x.at == nil {
		return x.operation.op.Pos, x.operation.node.Pointer()
	}
	return x.at.Pos(), x.at.Pointer()
}

// differences names the fields in which two settings differ, as the language calls
// them.
func differences(a, b any) []string {
	var out []string
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range v.NumField() {
		if !reflect.DeepEqual(v.Field(i).Interface(), w.Field(i).Interface()) {
			name := v.Type().Field(i).Name
			out = append(out, strings.ToLower(name[:1])+name[1:])
		}
	}
	slices.Sort(out)
	return out
}
