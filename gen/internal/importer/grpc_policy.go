package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// grpcMost is how many tries gRPC makes at most, whatever the config says.
const grpcMost = 5

// policy is the client's policy of a methodConfig; hedging is apart, since it is
// for reads alone.
func (g *grpc) policy(n *load.Node) (client, hedge object) {
	for _, m := range n.Members {
		switch m.Key {
		case "name", "timeout", "retryPolicy", "hedgingPolicy":
		case "waitForReady":
			if g.flag(m.Value, false) {
				g.losef(g.a, m.Value, "waitForReady has no equivalent: a try that cannot connect fails, and is made again")
			}
		default:
			g.losef(g.a, m.Value, "%s has no equivalent", shorten(m.Key))
		}
	}
	total, hasTotal := g.span(n.Get("timeout"))
	attempt := total
	retry := n.Get("retryPolicy")
	if d, ok := g.span(retry.Get("perAttemptRecvTimeout")); ok {
		attempt = d
	}
	timeout := object{}
	if attempt > 0 {
		// One try may take all of the call's time there.
		timeout.set("attempt", attempt)
	}
	if hasTotal && total > 0 {
		timeout.set("total", total)
	}
	if len(timeout) > 0 {
		client.set("timeout", timeout)
	}
	if retry != nil {
		client.set("retry", g.retry(retry))
	}
	if h := n.Get("hedgingPolicy"); h != nil {
		hedge = g.hedge(h)
	}
	return client, hedge
}

func (g *grpc) retry(n *load.Node) object {
	r := object{}
	if f, ok := g.number(n.Get("maxAttempts")); ok {
		if f > grpcMost {
			f = grpcMost
		}
		r.set("maxAttempts", max(int(f), 1))
	}
	base, hasBase := g.span(n.Get("initialBackoff"))
	most, _ := g.span(n.Get("maxBackoff"))
	if hasBase {
		delays(&r, base, most)
	}
	g.backoff(g.a, n.Get("backoffMultiplier"))
	if codes := n.Get("retryableStatusCodes"); codes != nil {
		g.codes(&r, codes)
	}
	return r
}

// grpcStatus are the statuses of HTTP that stand for gRPC's codes, by the table of
// google.rpc.Code. The index is the number of the code.
var grpcStatus = []struct {
	name   string
	status int
}{
	{"OK", 200}, {"CANCELLED", 499}, {"UNKNOWN", 500}, {"INVALID_ARGUMENT", 400}, {"DEADLINE_EXCEEDED", 504},
	{"NOT_FOUND", 404}, {"ALREADY_EXISTS", 409}, {"PERMISSION_DENIED", 403}, {"RESOURCE_EXHAUSTED", 429},
	{"FAILED_PRECONDITION", 400}, {"ABORTED", 409}, {"OUT_OF_RANGE", 400}, {"UNIMPLEMENTED", 501}, {"INTERNAL", 500},
	{"UNAVAILABLE", 503}, {"DATA_LOSS", 500}, {"UNAUTHENTICATED", 401},
}

// codes sets statuses, rules and errors from a list of codes.
func (g *grpc) codes(r *object, list *load.Node) {
	var nodes []*load.Node
	var names []string
	for _, n := range items(list) {
		name, status := g.code(n)
		if status == 0 {
			g.wrong(n, "the name or number of a code of gRPC")
			continue
		}
		names = append(names, name)
		nodes = append(nodes, &load.Node{Kind: load.Number, Text: strconv.Itoa(status), Line: n.Line, Col: n.Col, File: n.File})
	}
	g.statuses(r, nodes)
	// A connection that fails is UNAVAILABLE there, a time that runs out
	// DEADLINE_EXCEEDED.
	errs := []any{}
	if slices.Contains(names, "UNAVAILABLE") {
		errs = append(errs, "connect", "reset", "eof", "dns", "tls")
	}
	if slices.Contains(names, "DEADLINE_EXCEEDED") {
		errs = append(errs, "timeout")
	}
	r.set("errors", errs)
}

func (g *grpc) code(n *load.Node) (name string, status int) {
	text, _ := n.Written()
	for i, c := range grpcStatus {
		if i > 0 && (strings.EqualFold(text, c.name) || text == strconv.Itoa(i)) {
			return c.name, c.status
		}
	}
	return "", 0
}

func (g *grpc) hedge(n *load.Node) object {
	h := object{}
	switch d, ok := g.span(n.Get("hedgingDelay")); {
	case ok && d > 0:
		h.set("delay", d)
	default:
		at := n.Get("hedgingDelay")
		if at == nil {
			at = n
		}
		g.losef(g.a, at, "all tries at once have no equivalent: hedge.delay 1ms")
		h.set("delay", time.Millisecond)
	}
	if f, ok := g.number(n.Get("maxAttempts")); ok {
		h.set("max", max(min(int(min(f, grpcMost)), grpcMost)-1, 1))
	}
	if codes := n.Get("nonFatalStatusCodes"); codes != nil {
		g.losef(g.a, codes, "nonFatalStatusCodes has no equivalent: a failure that would be retried does not end a hedged call")
	}
	return object{{"hedge", h}}
}

// throttling becomes the budget for retries: after a while both let the same part
// of the successes be tried again.
func (g *grpc) throttling(n *load.Node) {
	if n == nil {
		return
	}
	t := n.Get("tokenRatio")
	if t == nil {
		g.wrong(n, "a mapping with maxTokens and a tokenRatio above 0, at most 10")
		return
	}
	ratio, ok := g.number(t)
	if !ok {
		return // reported
	}
	if ratio <= 0 || ratio > 10 {
		g.wrong(t, "a number above 0, at most 10")
		return
	}
	budget := object{{"ratio", word(strconv.FormatFloat(ratio, 'f', -1, 64))}}
	if t := n.Get("maxTokens"); t != nil {
		g.losef(g.a, t, "the budget for retries has no store of tokens: maxTokens has no equivalent")
	}
	for i, f := range g.defaults {
		if retry, ok := f.value.(object); ok && f.key == "retry" {
			g.defaults[i].value = append(slices.Clip(retry), field{"budget", budget})
			return
		}
	}
	g.defaults.set("retry", object{{"budget", budget}})
}

var protoSpan = regexp.MustCompile(`^\d{1,9}(\.\d{1,9})?s$`)

// span reads a duration of proto3's JSON form.
func (g *grpc) span(n *load.Node) (time.Duration, bool) {
	if n == nil {
		return 0, false
	}
	text, _ := n.Str()
	if !protoSpan.MatchString(text) {
		g.wrong(n, `a duration such as "1.5s"`)
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d > longest {
		g.wrong(n, "a duration of at most 30 days")
		return 0, false
	}
	return d, true
}
