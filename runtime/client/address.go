package client

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// address is where requests go: what stands before the path of an operation.
type address struct {
	scheme string
	host   string
	user   *url.Userinfo
	path   string // escaped, without a slash at the end
	query  string // sent along with every request
}

func (a *address) known() bool { return a.host != "" }

// errNoAddress: the document's servers leave it open where the service is.
var errNoAddress = errors.New("no server address is known: set client.BaseURL")

// parseAddress reads an absolute URL. What the path has escaped stays so.
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, errors.New("the server address is no URL")
	}
	scheme := strings.ToLower(u.Scheme)
	switch {
	case u.Scheme == "" && u.Host == "":
		return address{}, fmt.Errorf("the server address %q is relative: set client.BaseURL", u.Path)
	case scheme != "http" && scheme != "https":
		return address{}, errors.New("the server address is neither http nor https")
	case u.Host == "" || u.Opaque != "":
		return address{}, errors.New("the server address has no host")
	}
	return address{
		scheme: scheme, host: u.Host, user: u.User,
		path: strings.TrimRight(u.EscapedPath(), "/"), query: u.RawQuery,
	}, nil
}

// resolve fills in the variables of a server and reads its URL. A variable that
// the caller sets has to have one of the values that the document allows.
func resolve(s *Server, set map[string]string) (address, error) {
	text, err := expand(s, set)
	if err != nil {
		return address{}, err
	}
	return parseAddress(text)
}

// expand replaces {name} by the values of the variables. A brace without a
// variable stays, for url.Parse to refuse or take.
func expand(s *Server, set map[string]string) (string, error) {
	if len(s.Variables) == 0 {
		return s.URL, nil
	}
	pairs := make([]string, 0, 2*len(s.Variables))
	for _, v := range s.Variables {
		value, ok := set[v.Name]
		if !ok {
			value = v.Default
		} else if len(v.Enum) > 0 && !slices.Contains(v.Enum, value) {
			return "", fmt.Errorf("server variable %s has to be one of %s", v.Name, strings.Join(v.Enum, ", "))
		}
		pairs = append(pairs, "{"+v.Name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(s.URL), nil
}

// address is the one that the options ask for.
func (s *settings) address() (address, error) {
	if err := s.checkVariables(); err != nil {
		return address{}, err
	}
	if s.base != "" {
		return parseAddress(s.base)
	}
	if len(s.api.Servers) == 0 {
		if s.api.NoBase {
			return address{}, nil
		}
		return address{}, errNoAddress
	}
	return resolve(&s.api.Servers[s.index], s.variables)
}

// checkVariables refuses variables that no server has; operations' own servers
// may have further ones, so those of the document count only where it has any.
func (s *settings) checkVariables() error {
	for name := range s.variables {
		known := len(s.api.Servers) == 0
		for _, server := range s.api.Servers {
			known = known || slices.ContainsFunc(server.Variables, func(v Variable) bool { return v.Name == name })
		}
		if !known {
			return fmt.Errorf("no server of the document has a variable %q", name)
		}
	}
	return nil
}

// target writes the URL of a call into u.
func (a *address) target(u *url.URL, path, query []byte) error {
	u.Scheme, u.Host, u.User = a.scheme, a.host, a.user
	escaped := a.path + string(path)
	u.Path = escaped
	u.RawPath = ""
	if !plainPath(escaped) {
		decoded, err := url.PathUnescape(escaped)
		if err != nil {
			return errors.New("the path cannot be sent")
		}
		u.Path, u.RawPath = decoded, escaped
	}
	switch {
	case a.query == "":
		u.RawQuery = string(query)
	case len(query) == 0:
		u.RawQuery = a.query
	default:
		u.RawQuery = a.query + "&" + string(query)
	}
	return nil
}

// plainPath reports whether url.URL writes a path as it is, without a RawPath
// that says so.
func plainPath(path string) bool {
	for i := range len(path) {
		c := path[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			continue
		}
		if strings.IndexByte("/-._~$&+,;=:@", c) < 0 {
			return false
		}
	}
	return true
}
