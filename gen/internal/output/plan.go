package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Op is what a run does to one file.
type Op uint8

// The operations.
const (
	Keep   Op = iota // the file on disk is the same; it keeps its mtime
	Create           // there is no such file yet
	Update           // the file of an earlier run differs
	Remove           // a file of an earlier run that this one does not produce
)

// String returns "keep", "create", "update" or "remove".
func (op Op) String() string {
	switch op {
	case Keep:
		return "keep"
	case Create:
		return "create"
	case Update:
		return "update"
	case Remove:
		return "remove"
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// Change is one file of a plan. Path is relative to the target folder, with
// forward slashes.
type Change struct {
	Path string
	Op   Op
}

// maxOld bounds what is read of a file on disk. No file of ours comes near it.
const maxOld = 1 << 30

// Plan is the comparison of the files of one run with the target folder.
type Plan struct {
	dir     string
	changes []change
}

type change struct {
	Change
	old, new []byte
	mode     fs.FileMode // permission bits of the old file
}

// NewPlan compares files, as [Prepare] returns them, with the folder dir, which
// need not exist. Nothing is written.
//
// Files of an earlier run are looked for in the folders that hold a file of
// this run, in dir itself, and everywhere below the folders named by owned,
// which belong to the generator as a whole. Other folders below dir may hold
// the output of another target and are left alone.
//
// It is an error, which names every such path, when a file in the way is not
// ours to replace: no header, a folder, a symbolic link.
func NewPlan(dir string, files []File, owned ...string) (*Plan, error) {
	p := &Plan{dir: dir}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		for _, f := range files {
			p.changes = append(p.changes, change{Change: Change{f.Path, Create}, new: f.Data})
		}
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use %s as the output folder: %w", dir, reason(err))
	}
	defer root.Close()
	var errs []error
	folders := map[string]bool{".": true}
	produced := map[string]bool{}
	for _, f := range files {
		c, err := compare(root, f)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.shown(f.Path), err))
			continue
		}
		p.changes = append(p.changes, c)
		produced[f.Path] = true
		for d := path.Dir(f.Path); d != "."; d = path.Dir(d) {
			folders[d] = true
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	stale, err := findStale(root, folders, owned, produced)
	if err != nil {
		return nil, fmt.Errorf("looking for files of an earlier run in %s: %w", dir, err)
	}
	p.changes = append(p.changes, stale...)
	slices.SortFunc(p.changes, func(a, b change) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// Changes returns every file of the plan, by path.
func (p *Plan) Changes() []Change {
	list := make([]Change, len(p.changes))
	for i, c := range p.changes {
		list[i] = c.Change
	}
	return list
}

// Stale reports whether the folder differs from what the run produces.
func (p *Plan) Stale() bool {
	return slices.ContainsFunc(p.changes, func(c change) bool { return c.Op != Keep })
}

// shown is a path as the user knows it.
func (p *Plan) shown(file string) string { return filepath.Join(p.dir, filepath.FromSlash(file)) }

// reason drops the operation and paths that package os puts before an error;
// the callers name the path themselves.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

func compare(root *os.Root, f File) (change, error) {
	c := change{Change: Change{f.Path, Create}, new: f.Data}
	info, err := root.Lstat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return c, reason(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return c, errors.New("is a symbolic link, which holdfast neither follows nor replaces: remove it or choose another output folder")
	case info.IsDir():
		return c, errors.New("is a folder where a generated file has to stand: move it away or choose another output folder")
	case !info.Mode().IsRegular():
		return c, errors.New("is not a regular file: move it away or choose another output folder")
	}
	c.old, err = readFile(root, f.Path, maxOld)
	if err != nil {
		return c, reason(err)
	}
	if !Ours(f.Path, c.old[:min(len(c.old), HeadSize)]) {
		return c, fmt.Errorf("was not written by holdfast (it does not start with %q): move it away or choose another output folder", Header(f.Path))
	}
	c.mode = info.Mode().Perm()
	c.Op = Update
	if sameText(c.old, c.new) {
		c.Op, c.old, c.new = Keep, nil, nil
	}
	return c, nil
}

// sameText ignores the carriage returns that version control adds on Windows.
func sameText(onDisk, fresh []byte) bool {
	return bytes.Equal(onDisk, fresh) ||
		bytes.Contains(onDisk, []byte("\r\n")) &&
			bytes.Equal(bytes.ReplaceAll(onDisk, []byte("\r\n"), []byte("\n")), fresh)
}

// readFile reads a regular file; more than limit bytes are an error.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("is larger than %d bytes", limit)
	}
	return data, err
}

// findStale returns the files of earlier runs that this one does not produce.
func findStale(root *os.Root, folders map[string]bool, owned []string, produced map[string]bool) ([]change, error) {
	for _, dir := range owned {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
			continue // not there, or a link of the user's own
		}
		// WalkDir does not enter symbolic links.
		err := fs.WalkDir(root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				folders[name] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var stale []change
	for dir := range folders {
		entries, err := fs.ReadDir(root.FS(), dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a folder that this run is going to make
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if produced[name] || !e.Type().IsRegular() || Header(name) == "" {
				continue
			}
			c, ok, err := staleFile(root, name)
			if err != nil {
				return nil, err
			}
			if ok {
				stale = append(stale, c)
			}
		}
	}
	return stale, nil
}

func staleFile(root *os.Root, name string) (change, bool, error) {
	f, err := root.Open(name)
	if err != nil {
		return change{}, false, err
	}
	defer f.Close()
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return change{}, false, err
	}
	if !Ours(name, head[:n]) {
		return change{}, false, nil
	}
	old, err := readFile(root, name, maxOld)
	if err != nil {
		return change{}, false, fmt.Errorf("%s: %w", name, err)
	}
	return change{Change: Change{name, Remove}, old: old}, true, nil
}
