package resilience

import (
	"net/url"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

var serverObject = &object{
	fields: []field{
		{"url", serverURL{}},
		{"query", mapping{parameterName, literal{}}},
		{"auth", text{"the name of a security scheme", fitsLine}},
	},
	needs: []string{"url"},
}

// serverURL is where requests can be sent.
type serverURL struct{}

func (serverURL) check(c *checker, n *load.Node, path string) bool {
	const want = "an absolute http or https URL"
	got, ok := n.Str()
	if !ok {
		return c.wrongType(n, path, want)
	}
	u, err := url.Parse(got)
	switch {
	case err != nil || !fitsLine(got) || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return c.fail(n, "resilience-text", "%s %s: want %s", path, shown(got), want)
	case u.User != nil:
		// A user or a password is a literal secret, which no message repeats.
		return c.fail(n, "resilience-secret", "%s holds credentials: want auth with the name of a security scheme, never the secret itself", path)
	case u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(got, "?") || strings.HasSuffix(got, "#"):
		return c.fail(n, "resilience-text", "%s %s: want one without a query and a fragment; parameters stand in query", path, shown(got))
	}
	return true
}

// rootServers reads the servers that rungs and routes may name. A stronger root
// object's replaces one of the same name.
func (r *reader) rootServers(n *load.Node, path string) {
	if !n.Is(load.Object) {
		r.wrongType(n, path, "a mapping of names to servers")
		return
	}
	for _, m := range n.Members {
		off, isBool := m.Value.Bool()
		switch {
		case skipped(m.Key):
		case !fitsLine(m.Key):
			r.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want the name of a server", path, shown(m.Key))
		case isBool && !off:
			r.servers = slices.DeleteFunc(r.servers, func(s load.Member) bool { return s.Key == m.Key })
		case serverObject.check(&r.checker, m.Value, path+"."+m.Key):
			i := slices.IndexFunc(r.servers, func(s load.Member) bool { return s.Key == m.Key })
			if i >= 0 {
				r.servers[i] = m
				continue
			}
			r.servers = append(r.servers, m)
		}
	}
}

// targets are the root's servers as the generated client has them.
func (r *reader) targets(api *ir.API) {
	for _, m := range r.servers {
		t := &ir.Target{Name: m.Key, URL: m.Value.Get("url").Text}
		if q := m.Value.Get("query"); q != nil {
			for _, p := range q.Members {
				text, _ := p.Value.Written()
				t.Query = append(t.Query, ir.Pair{Name: p.Key, Value: text})
			}
		}
		if auth := m.Value.Get("auth"); auth != nil {
			t.Auth = auth.Text
			r.schemeExists(api, auth, key+".servers."+m.Key+".auth")
		}
		api.Targets = append(api.Targets, t)
	}
}

func (r *reader) schemeExists(api *ir.API, n *load.Node, path string) {
	var names []string
	for _, s := range api.Schemes {
		if s.Name == n.Text {
			return
		}
		names = append(names, s.Name)
	}
	d := r.list.Error(n.Pos(), "resilience-scheme", n.Pointer(), "%s: there is no security scheme %s", path, shown(n.Text))
	if near, ok := diag.Nearest(n.Text, names); ok {
		d.Hintf("did you mean %s?", near)
	}
}

// rootSources reads the other documents whose operations sagas and rungs may name.
// One is read when an operation of it is named.
func (r *reader) rootSources(n *load.Node, path string) {
	if !n.Is(load.Object) {
		r.wrongType(n, path, "a mapping of names to files")
		return
	}
	for _, m := range n.Members {
		off, isBool := m.Value.Bool()
		file := text{"the name of a file", fitsLine}
		switch {
		case skipped(m.Key):
		case !fitsSource(m.Key):
			r.list.Error(m.Pos(), "resilience-name", m.Value.Pointer(), "%s: key %s: want a name of letters, digits, dashes and underscores", path, shown(m.Key))
		case isBool && !off:
			delete(r.sources, m.Key)
		case file.check(&r.checker, m.Value, path+"."+m.Key):
			r.sources[m.Key] = m.Value
		}
	}
}

// fitsSource reports whether s may be the name of a source, by Arazzo's rule: without
// dots, which end it in an expression.
func fitsSource(s string) bool {
	return fitsName(s) && !strings.ContainsAny(s, "./")
}
