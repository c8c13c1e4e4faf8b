package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// servers reads the member servers of n. Without one the result is empty, which
// means what stands further out, and for the document the URL "/".
func (l *lowerer) servers(n *load.Node, what string) []*ir.Server {
	list := l.array(n, "servers", what)
	if list == nil {
		return nil
	}
	var out []*ir.Server
	for _, item := range list.Items {
		if s := l.server(item, fieldOf(what, "server")); s != nil {
			out = append(out, s)
		}
	}
	return out
}

func (l *lowerer) server(n *load.Node, what string) *ir.Server {
	if url, ok := n.Str(); ok {
		l.repairf(n, "wrong-type", "a server must be a mapping with a url, got the string %q: taken as the url", url)
		return &ir.Server{URL: url, Variables: l.missingVariables(n, url, nil)}
	}
	if !l.checkFields(n, what, serverObject) {
		return nil
	}
	s := &ir.Server{
		URL: l.text(n, "url", what), Name: l.prose(n, "name", what), Description: l.prose(n, "description", what),
	}
	if !n.Has("url") {
		l.repairf(n, "server-url", "%s: url is missing: taken as /", what)
	}
	if s.URL == "" {
		s.URL = "/" // where the document is
	}
	if vars := l.object(n, "variables", what); vars != nil {
		for _, m := range vars.Members {
			if v := l.serverVariable(m); v != nil {
				s.Variables = append(s.Variables, v)
			}
		}
	}
	at := n
	if url := n.Get("url"); url != nil {
		at = url
	}
	s.Variables = append(s.Variables, l.missingVariables(at, s.URL, s.Variables)...)
	l.passwordInURL(at, s)
	return s
}

// passwordInURL warns of a password in the address of a server: the address stands in the
// generated code, which is committed. The message does not repeat it.
func (l *lowerer) passwordInURL(at *load.Node, s *ir.Server) {
	url := s.URL
	for _, v := range s.Variables {
		url = strings.ReplaceAll(url, "{"+v.Name+"}", v.Default)
	}
	_, rest, ok := strings.Cut(url, "//")
	if !ok {
		return
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host := strings.LastIndexByte(rest, '@')
	if host < 0 {
		return
	}
	if _, password, _ := strings.Cut(rest[:host], ":"); password == "" {
		return
	}
	l.warnf(at, "server-url", "server url: it holds a password, which the generated code will hold as well").
		Hintf("describe it as a security scheme, or give the address with client.BaseURL")
}

func (l *lowerer) serverVariable(m load.Member) *ir.ServerVariable {
	what := "server variable " + m.Key
	n := m.Value
	if !l.checkFields(n, what, serverVariableObject) {
		return nil
	}
	v := &ir.ServerVariable{
		Name: m.Key, Enum: l.strings(n, "enum", what),
		Default: l.text(n, "default", what), Description: l.prose(n, "description", what),
	}
	switch {
	case !n.Has("default") && len(v.Enum) > 0:
		v.Default = v.Enum[0]
		l.list.Repair(m.Pos(), "server-variable", n.Pointer(), "%s: default is missing: taken as %q, the first of enum", what, v.Default)
	case !n.Has("default"):
		l.list.Repair(m.Pos(), "server-variable", n.Pointer(), "%s: default is missing: the caller must give a value", what)
	case len(v.Enum) > 0 && !slices.Contains(v.Enum, v.Default):
		l.errorf(n.Get("default"), "server-variable", "%s: default %q is not one of the allowed [%s]",
			what, v.Default, strings.Join(v.Enum, ", "))
	}
	return v
}

// missingVariables finds the variables that url names and known does not hold.
func (l *lowerer) missingVariables(at *load.Node, url string, known []*ir.ServerVariable) []*ir.ServerVariable {
	var out []*ir.ServerVariable
	for rest := url; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return out
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok || name == "" {
			l.errorf(at, "server-url", "server url %q: %s", url, braceFault(ok))
			return out
		}
		rest = tail
		has := func(v *ir.ServerVariable) bool { return v.Name == name }
		if slices.ContainsFunc(known, has) || slices.ContainsFunc(out, has) {
			continue
		}
		l.repairf(at, "server-variable", "server url %q: variable %q is not declared: the caller must give a value", url, name)
		out = append(out, &ir.ServerVariable{Name: name})
	}
}

func braceFault(closed bool) string {
	if closed {
		return "a variable needs a name between { and }"
	}
	return "a { is never closed"
}
