package load

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// location says where a file is: on disk or at a URL.
type location struct {
	name string // for users
	path string // absolute; empty for a URL
	url  *url.URL
}

// id is the key under which a file is known once.
func (l location) id() string {
	if l.url != nil {
		return l.url.String()
	}
	return l.path
}

func rootLocation(p string) location {
	if isURL(p) {
		if u, err := url.Parse(p); err == nil {
			u.Fragment = ""
			return location{name: u.Redacted(), url: u}
		}
	}
	return localLocation(p)
}

// localLocation is the location of a local path. Without a working folder, which
// Abs needs, a relative path stays relative and still identifies the file.
func localLocation(p string) location {
	abs, err := filepath.Abs(p)
	if err != nil {
		abs = filepath.Clean(p)
	}
	return location{name: p, path: abs}
}

// relativeTo returns the location that the file part of a reference, without
// its fragment, names in a file.
func relativeTo(from *File, ref string) (location, *fault) {
	u, err := url.Parse(ref)
	scheme := ""
	if err == nil {
		scheme = strings.ToLower(u.Scheme)
	}
	switch {
	case scheme == "http" || scheme == "https":
		return urlLocation(u)
	case from.url != nil:
		if err != nil || scheme != "" {
			return location{}, badScheme(ref, "a remote document can only refer to http and https URLs")
		}
		return urlLocation(from.url.ResolveReference(u))
	case scheme == "file":
		return fileURL(u, ref)
	case len(scheme) > 1:
		return location{}, badScheme(ref, "references can be files, http and https URLs")
	case err == nil && u.Host != "":
		return location{}, badScheme(ref, "a reference to another host needs https:// in front")
	}
	return besides(from, ref), nil
}

func badScheme(ref, why string) *fault {
	return &fault{code: "ref-scheme", message: fmt.Sprintf("%q cannot be read: %s", shownRef(ref), why)}
}

func urlLocation(u *url.URL) (location, *fault) {
	if u.Host == "" {
		return location{}, badScheme(u.String(), "the URL has no host")
	}
	c := *u
	c.Fragment, c.RawFragment = "", ""
	return location{name: c.Redacted(), url: &c}, nil
}

func fileURL(u *url.URL, ref string) (location, *fault) {
	if u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return location{}, badScheme(ref, "a file URL must name a local file")
	}
	return localLocation(filepath.FromSlash(u.Path)), nil
}

// besides resolves a path against the folder of a local file. Percent escapes
// are decoded as a URL reference has them; text that is no valid escape is taken
// as it is, as are "?" and the like, which file names may hold.
func besides(from *File, ref string) location {
	p := ref
	if decoded, err := url.PathUnescape(ref); err == nil {
		p = decoded
	}
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return localLocation(filepath.Clean(p))
	}
	return location{
		name: filepath.Join(filepath.Dir(from.Name), p),
		path: filepath.Join(filepath.Dir(from.Path), p),
	}
}
