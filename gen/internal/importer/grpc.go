package importer

import (
	"context"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// grpcFile imports a service config: https://github.com/grpc/grpc-proto, the
// message ServiceConfig in its JSON form. It names methods of services; their
// operations are found by id, and the policies stand as apply rules in the root.
func (w *work) grpcFile(ctx context.Context, opt Options) error {
	if opt.Spec != "" {
		doc := load.Load(ctx, load.Options{Path: opt.Spec}, w.list)
		if doc == nil {
			return nil
		}
		w.readOperations(doc) //nolint:contextcheck // doc holds it
	}
	file, err := w.read(opt, opt.Path)
	if err != nil || file == nil {
		return err
	}
	root := file.Root
	if !root.Is(load.Object) || !root.Has("methodConfig") && !root.Has("retryThrottling") {
		w.list.Error(root.Pos(), "import-nothing", "", "this is no service config: it has no methodConfig and no retryThrottling")
		return nil
	}
	g := &grpc{work: w, a: &action{target: "$"}, said: map[string]bool{}}
	g.config(root)
	return nil
}

// grpc is the import of one service config.
type grpc struct {
	*work
	a        *action
	defaults object
	rules    []grpcRule
	said     map[string]bool // "SERVICE/METHOD FIELD": that configs for the name have it
}

// grpcRule is one rule and how closely its names select: gRPC takes the config of
// the closest, so those come last.
type grpcRule struct {
	close int // 1 a service, 2 a method
	rule  object
}

func (g *grpc) config(root *load.Node) {
	for _, m := range members(root) {
		switch m.Key {
		case "methodConfig", "retryThrottling":
		default:
			if !strings.HasPrefix(m.Key, "x-") {
				g.losef(g.a, m.Value, "%s has no equivalent", shorten(m.Key))
			}
		}
	}
	configs := root.Get("methodConfig")
	if configs != nil && !configs.Is(load.Array) {
		g.wrong(configs, "a list")
	}
	for _, n := range items(configs) {
		g.note(n)
	}
	for _, n := range items(configs) {
		g.method(n)
	}
	g.throttling(root.Get("retryThrottling"))
	slices.SortStableFunc(g.rules, func(a, b grpcRule) int { return a.close - b.close })
	if len(g.defaults) > 0 || len(g.rules) > 0 {
		g.a.policy = object{{"version", 1}}
	}
	if len(g.defaults) > 0 {
		g.a.policy.set("defaults", object{{"client", g.defaults}})
	}
	if len(g.rules) > 0 {
		list := []any{}
		for _, r := range g.rules {
			list = append(list, r.rule)
		}
		g.a.policy.set("apply", list)
	}
	g.add(g.a)
}

// replaced are the fields that the config of the closest name takes away from the
// others when it does not have them itself, and what the language has for none.
var replaced = []struct {
	key, field string
	without    any
}{{"retryPolicy", "retry", "none"}, {"timeout", "timeout", word("null")}}

// note remembers which names have which fields, and whether some retry has a rule:
// configs come in any order.
func (g *grpc) note(n *load.Node) {
	for _, c := range items(n.Get("retryPolicy").Get("retryableStatusCodes")) {
		if _, status := g.code(c); needsRule(status) {
			g.ruled = true
		}
	}
	for _, name := range items(n.Get("name")) {
		for _, r := range replaced {
			if n.Has(r.key) {
				g.said[grpcName(name)+" "+r.key] = true
			}
		}
	}
}

// grpcName is a name as gRPC writes it: "pkg.Service/Method", "pkg.Service/" for
// all of a service, "/" for all.
func grpcName(n *load.Node) string {
	service, _ := n.Get("service").Str()
	method, _ := n.Get("method").Str()
	return service + "/" + method
}

// alone is the policy for one name: with what undoes the fields of names that are
// less close, since configs are not merged there.
func (g *grpc) alone(name, n *load.Node, client object) object {
	service, _ := name.Get("service").Str()
	weaker := []string{"/"}
	if name.Has("method") {
		weaker = append(weaker, service+"/")
	}
	for _, r := range replaced {
		if n.Has(r.key) || r.key == "retryPolicy" && n.Has("hedgingPolicy") {
			continue
		}
		if slices.ContainsFunc(weaker, func(w string) bool { return g.said[w+" "+r.key] }) {
			client = append(slices.Clip(client), field{r.field, r.without})
		}
	}
	return client
}

// method imports one methodConfig for all its names.
func (g *grpc) method(n *load.Node) {
	if !n.Is(load.Object) {
		g.wrong(n, "a mapping with name and what holds for it")
		return
	}
	client, hedge := g.policy(n)
	names := n.Get("name")
	if len(items(names)) == 0 {
		g.losef(g.a, n, "a methodConfig without a name is for nothing")
		return
	}
	for _, name := range names.Items {
		service, _ := name.Get("service").Str()
		method, _ := name.Get("method").Str()
		switch {
		case service == "" && method != "":
			g.wrong(name, "a mapping with service, and with method where it is for one")
		case service == "":
			if len(g.defaults) > 0 {
				g.losef(g.a, name, "a second config for all methods has no effect")
				continue
			}
			g.defaults = append(g.defaults, client...)
			g.unkeyed(n, g.ops)
			if len(hedge) > 0 {
				g.hedged(0, object{}, hedge)
			}
		default:
			if to, ops, ok := g.selector(name, service, method); ok {
				g.unkeyed(n, ops)
				g.rule(method != "", to, g.alone(name, n, client), hedge)
			}
		}
	}
}

// unkeyed says of writes that they are not repeated, in one word where there is no
// document to name them.
func (g *grpc) unkeyed(n *load.Node, ops []*operation) {
	retry := n.Get("retryPolicy")
	switch {
	case retry == nil:
	case g.doc != nil:
		g.keyless(g.a, retry, ops)
	default:
		g.losef(g.a, retry, "POST and PATCH are repeated only with an idempotency key, or with effect: idempotent where a repeat does no harm")
	}
}

// rule makes the rules for one name, of one method or of a service.
func (g *grpc) rule(one bool, to, client, hedge object) {
	closeness := 1
	if one {
		closeness = 2
	}
	if len(client) > 0 {
		g.rules = append(g.rules, grpcRule{closeness, object{{"to", to}, {"policy", object{{"client", client}}}}})
	}
	if len(hedge) > 0 {
		g.hedged(closeness, to, hedge)
	}
}

// hedged adds a rule that hedges what only reads: the language hedges nothing else.
func (g *grpc) hedged(closeness int, to, hedge object) {
	reads := []any{"GET", "HEAD", "QUERY"}
	if g.doc != nil {
		present := []any{}
		for _, o := range g.ops {
			present = append(present, strings.ToUpper(o.method))
		}
		reads = slices.DeleteFunc(reads, func(m any) bool { return !slices.Contains(present, m) })
	}
	if len(reads) == 0 {
		return
	}
	to = append(slices.Clip(to), field{"methods", reads})
	g.rules = append(g.rules, grpcRule{closeness, object{{"to", to}, {"policy", object{{"client", hedge}}}}})
}

// selector finds the operations of a method or a service. Ids are written in
// several ways by the tools that make documents of proto files. Without a document
// all of them are selected; with one, those that are there.
func (g *grpc) selector(n *load.Node, service, method string) (object, []*operation, bool) {
	short := service[strings.LastIndexByte(service, '.')+1:]
	if method == "" {
		return g.known(n, []string{short + "_*", service + ".*", service + "/*"}, service, func(id string) bool {
			return strings.HasPrefix(id, short+"_") || strings.HasPrefix(id, service+".") || strings.HasPrefix(id, service+"/")
		})
	}
	lower := strings.ToLower(method[:1]) + method[1:]
	ids := []string{method, lower, short + "_" + method, service + "." + method, service + "/" + method}
	return g.known(n, ids, service+"/"+method, func(id string) bool { return slices.Contains(ids, id) })
}

func (g *grpc) known(n *load.Node, globs []string, name string, is func(id string) bool) (object, []*operation, bool) {
	list := []any{}
	if g.doc == nil {
		for _, glob := range globs {
			list = append(list, glob)
		}
		return object{{"operations", unique(list)}}, nil, true
	}
	var ids []string
	var ops []*operation
	for _, o := range g.ops {
		if is(o.id) {
			list = append(list, o.id)
			ops = append(ops, o)
		}
		ids = append(ids, o.id)
	}
	if len(list) > 0 {
		return object{{"operations", unique(list)}}, ops, true
	}
	g.losef(g.a, n, "no operation of the document has the id of %s", shorten(name))
	if near, ok := diag.Nearest(globs[0], ids); ok {
		g.a.lost[len(g.a.lost)-1] += "; is it " + near + "?"
	}
	return nil, nil, false
}
