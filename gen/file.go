package gen

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// FileName is the name of the configuration file.
const FileName = "holdfast.yaml"

// maxFile bounds a configuration file.
const maxFile = 1 << 20

// FindFile returns the path of the configuration file in the folder dir or the
// nearest one above it; an error that is fs.ErrNotExist when there is none. The
// path is relative to the current folder where dir is.
func FindFile(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for d := abs; ; d = filepath.Dir(d) {
		p := filepath.Join(d, FileName)
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return shownPath(p), nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("%s: %w in %s or above it", FileName, fs.ErrNotExist, abs)
		}
	}
}

// ReadFile reads the targets of a configuration file. Paths in it are relative
// to its folder; those of the result are relative to the current one. The
// function adjust, if not nil, changes each target before it is checked, as
// options of a command line do. With any diagnostic that is an error the targets
// are not to be used. The error is about the file as a whole.
func ReadFile(path string, adjust func(*Config)) ([]Config, []Diagnostic, error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, nil, err
	}
	list := &diag.List{}
	r := fileReader{list: list, dir: filepath.Dir(path), adjust: adjust}
	targets := r.read(load.Parse(path, data, list))
	return targets, list.Sorted(), nil
}

// readBounded reads the regular file path, which may hold maxFile bytes.
func readBounded(path string) ([]byte, error) { return readUpTo(path, maxFile) }

// readUpTo reads the regular file path, which may hold most bytes.
func readUpTo(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	// To open a pipe would wait for somebody to write into it.
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, most)
	}
	return data, nil
}

// fileReader turns the tree of a configuration file into targets.
type fileReader struct {
	list   *diag.List
	dir    string
	adjust func(*Config)
}

func (r *fileReader) read(file *load.File) []Config {
	if file == nil {
		return nil // told by the parser
	}
	if !r.mapping(file.Root, "the file", "version", "targets") {
		return nil
	}
	if v := file.Root.Get("version"); v != nil {
		if text, ok := v.Written(); !ok || text != "1" {
			r.list.Error(v.Pos(), "config-version", v.Pointer(), "version %s is not known", diag.Escape(shorten(text))).
				Hintf("this holdfast reads version 1")
		}
	}
	list := file.Root.Get("targets")
	if !list.Is(load.Array) || list.Len() == 0 {
		pos, found := file.Root.Pos(), "nothing"
		if list != nil {
			pos, found = list.Pos(), list.KindName()
		}
		if list.Is(load.Array) {
			found = "an empty one"
		}
		r.list.Error(pos, "config-targets", list.Pointer(), "targets must be a list of targets, found %s", found)
		return nil
	}
	var targets []Config
	for _, n := range list.Items {
		targets = append(targets, r.target(n))
	}
	r.apart(list.Items, targets)
	return targets
}

// targetKeys are the settings of one target, in the order of the documentation.
var targetKeys = []string{
	"spec", "out", "package", "only", "runtime", "importPath", "runtimeAdd", "strict",
	"exactSchemas", "skipUnsupported", "include", "exclude", "allowRemote", "overlays", "lint",
}

func (r *fileReader) target(n *load.Node) Config {
	c := Config{Client: true, Server: true}
	if !r.mapping(n, "a target", targetKeys...) {
		return c
	}
	for _, required := range []string{"spec", "out"} {
		if !n.Has(required) {
			r.list.Error(n.Pos(), "config-missing", n.Pointer(), "the target has no %s", required)
		}
	}
	r.text(n, "spec", &c.Spec)
	r.text(n, "out", &c.Out)
	if c.Spec != "" && !isURL(c.Spec) {
		c.Spec = r.path(c.Spec)
	}
	if c.Out != "" {
		c.Out = r.path(c.Out)
	}
	r.text(n, "package", &c.Package)
	r.only(n.Get("only"), &c)
	r.text(n, "runtime", &c.Runtime)
	r.text(n, "importPath", &c.ImportPath)
	r.texts(n, "runtimeAdd", &c.RuntimeAdd)
	r.flag(n, "strict", &c.Strict)
	r.flag(n, "exactSchemas", &c.ExactSchemas)
	r.flag(n, "skipUnsupported", &c.SkipUnsupported)
	r.texts(n, "include", &c.Include)
	r.texts(n, "exclude", &c.Exclude)
	r.flag(n, "allowRemote", &c.AllowRemote)
	r.texts(n, "overlays", &c.Overlays)
	for i, overlay := range c.Overlays {
		if overlay != "" && !isURL(overlay) {
			c.Overlays[i] = r.path(overlay)
		}
	}
	r.lint(n.Get("lint"), &c.Lint)
	if r.adjust != nil {
		r.adjust(&c)
	}
	r.check(n, c)
	return c
}

// check runs the checks of every run now, so that they come with positions.
func (r *fileReader) check(n *load.Node, c Config) {
	if c.Spec == "" || c.Out == "" {
		return
	}
	for _, err := range flatten(c.complete()) {
		bad, ok := errors.AsType[*ConfigError](err)
		if !ok {
			continue
		}
		at := n.Get(bad.Setting)
		if at == nil {
			at = n
		}
		r.list.Error(at.Pos(), "config-value", at.Pointer(), "%s: %s", bad.Setting, bad.Problem)
	}
}

// flatten returns the errors that errors.Join has put together.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	return []error{err}
}

// apart demands a folder of its own for each target: two in one would remove
// each other's files.
func (r *fileReader) apart(nodes []*load.Node, targets []Config) {
	first := map[string]int{}
	for i, c := range targets {
		if c.Out == "" {
			continue
		}
		folder := realPath(c.Out)
		if j, ok := first[folder]; ok {
			at := nodes[i].Get("out")
			r.list.Error(at.Pos(), "config-same-out", at.Pointer(), "two targets have the output folder %s", diag.Escape(c.Out)).
				At(nodes[j].Get("out").Pos(), "the other one").
				Hintf("give each target a folder of its own")
			continue
		}
		first[folder] = i
	}
}

// realPath is the absolute path of a folder without symbolic links, as far as the
// folder is there already: one folder has one.
func realPath(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for d, rest := abs, ""; ; d, rest = filepath.Dir(d), filepath.Join(filepath.Base(d), rest) {
		if target, err := filepath.EvalSymlinks(d); err == nil {
			return filepath.Join(target, rest)
		}
		if d == filepath.Dir(d) {
			return abs
		}
	}
}

func (r *fileReader) path(p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(r.dir, p)
}

// mapping reports whether n is a mapping, and reports its unknown keys.
func (r *fileReader) mapping(n *load.Node, what string, keys ...string) bool {
	if !n.Is(load.Object) {
		r.list.Error(n.Pos(), "config-type", n.Pointer(), "%s must be a mapping with %s, found %s", what, strings.Join(keys, ", "), n.KindName())
		return false
	}
	for _, m := range n.Members {
		if slices.Contains(keys, m.Key) || strings.HasPrefix(m.Key, "x-") {
			continue
		}
		d := r.list.Error(m.Pos(), "config-unknown-key", m.Value.Pointer(), "unknown setting %q", shorten(m.Key))
		if near, ok := diag.Nearest(m.Key, keys); ok {
			d.Hintf("did you mean %s?", near)
		} else {
			d.Hintf("known here: %s", strings.Join(keys, ", "))
		}
	}
	return true
}

func (r *fileReader) wrongType(n *load.Node, key, want string) {
	r.list.Error(n.Pos(), "config-type", n.Pointer(), "%s must be %s, found %s", key, want, n.KindName())
}

func (r *fileReader) text(n *load.Node, key string, to *string) {
	v := n.Get(key)
	if v == nil {
		return
	}
	s, ok := v.Written() // a package called 1e3 or on is meant as written
	if !ok || v.Is(load.Null) || s == "" {
		r.wrongType(v, key, "a string that is not empty")
		return
	}
	*to = s
}

func (r *fileReader) texts(n *load.Node, key string, to *[]string) {
	v := n.Get(key)
	if v == nil {
		return
	}
	if s, ok := v.Str(); ok { // one alone needs no list
		*to = []string{s}
		return
	}
	if !v.Is(load.Array) {
		r.wrongType(v, key, "a list of strings")
		return
	}
	for _, item := range v.Items {
		s, ok := item.Str()
		if !ok {
			r.wrongType(item, "an element of "+key, "a string")
			continue
		}
		*to = append(*to, s)
	}
}

func (r *fileReader) flag(n *load.Node, key string, to *bool) {
	v := n.Get(key)
	if v == nil {
		return
	}
	b, ok := v.Bool()
	if !ok {
		r.wrongType(v, key, "true or false")
		return
	}
	*to = b
}

func (r *fileReader) only(v *load.Node, c *Config) {
	if v == nil {
		return
	}
	s, _ := v.Str()
	switch s {
	case "client":
		c.Server = false
	case "server":
		c.Client = false
	case "models":
		c.Client, c.Server = false, false
	default:
		r.list.Error(v.Pos(), "config-value", v.Pointer(), "only must be client, server or models; without it both sides are generated")
	}
}

// shorten bounds text from outside in a message.
func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
