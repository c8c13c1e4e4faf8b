package output

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Write carries the plan out: all of it or nothing. New content first goes to
// temporary files in the folders of their targets; only when all of them are
// complete are they renamed into place. If that fails midway, what was there
// before is put back, mtime included. An unchanged file is not touched.
//
// Folders that a removal leaves empty are removed, the output folder itself
// excepted. ctx ends a write only before the first rename.
func (p *Plan) Write(ctx context.Context) error {
	if !p.Stale() {
		return nil
	}
	made, err := makeFolder(p.dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		removeFolders(os.Remove, made)
		return fmt.Errorf("cannot use %s as the output folder: %w", p.dir, reason(err))
	}
	defer root.Close()
	w := &writer{plan: p, root: root, rename: root.Rename}
	if err := w.run(ctx); err != nil {
		removeFolders(os.Remove, made)
		return err
	}
	return nil
}

// makeFolder makes dir and its missing parents, and returns those it made,
// outermost first.
func makeFolder(dir string) ([]string, error) {
	var missing []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	for i, d := range missing {
		if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			removeFolders(os.Remove, missing[:i])
			return nil, fmt.Errorf("cannot make the folder %s: %w", d, reason(err))
		}
	}
	return missing, nil
}

// removeFolders removes those of the folders that are empty, innermost first.
func removeFolders(remove func(string) error, folders []string) {
	for _, d := range slices.Backward(folders) {
		_ = remove(d) // a folder that somebody else has used meanwhile stays
	}
}

// writer is one run of Plan.Write.
type writer struct {
	plan   *Plan
	root   *os.Root
	rename func(from, to string) error // root.Rename; tests make it fail

	folders []string          // made by this run, outermost first
	staged  map[string]string // target -> temporary file with its new content
	undo    []func() error    // what takes back the steps done, in their order
	backups []string          // old files under another name
}

func (w *writer) run(ctx context.Context) error {
	err := w.stage(ctx)
	if err == nil {
		err = w.commit()
	}
	if err != nil {
		return w.rollBack(err)
	}
	for _, b := range w.backups {
		// A backup that cannot be removed carries our header: the next run
		// finds it and removes it.
		_ = w.root.Remove(b)
	}
	w.removeEmpty()
	return nil
}

// stage writes all new content to temporary files.
func (w *writer) stage(ctx context.Context) error {
	w.staged = map[string]string{}
	for _, c := range w.plan.changes {
		if c.Op != Create && c.Op != Update {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.makeParents(path.Dir(c.Path)); err != nil {
			return w.failed("make the folder of", c.Path, err)
		}
		if err := w.stageFile(c); err != nil {
			return w.failed("write", c.Path, err)
		}
	}
	return nil
}

func (w *writer) failed(what, file string, err error) error {
	return fmt.Errorf("cannot %s %s: %w; nothing was changed", what, w.plan.shown(file), reason(err))
}

func (w *writer) makeParents(dir string) error {
	if dir == "." {
		return nil
	}
	if info, err := w.root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := w.makeParents(path.Dir(dir)); err != nil {
		return err
	}
	if err := w.root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	w.folders = append(w.folders, dir)
	return nil
}

func (w *writer) stageFile(c change) error {
	temp := hiddenName(c.Path)
	f, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w.staged[c.Path] = temp
	_, err = f.Write(c.new)
	if err == nil && c.Op == Update {
		err = f.Chmod(c.mode)
	}
	return errors.Join(err, f.Close())
}

// hiddenName is a name that the go command ignores, in the same folder and with
// the same ending, so that our header is recognised in a file left by a crash.
func hiddenName(file string) string {
	dir, base := path.Split(file)
	return dir + ".holdfast-" + strings.ToLower(rand.Text()[:10]) + "-" + base
}

// commit renames the temporary files into place and the stale ones away.
func (w *writer) commit() error {
	for _, c := range w.plan.changes {
		var err error
		switch c.Op {
		case Keep:
			continue
		case Create:
			err = w.create(c.Path)
		case Update:
			err = w.replace(c.Path)
		case Remove:
			err = w.setAside(c.Path)
		}
		if err != nil {
			return w.failed(c.Op.String(), c.Path, err)
		}
	}
	return nil
}

func (w *writer) create(file string) error {
	// Somebody may have put a file of their own there since the comparison.
	if _, err := w.root.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("a file of that name has just appeared")
	}
	if err := w.rename(w.staged[file], file); err != nil {
		return err
	}
	delete(w.staged, file)
	w.undo = append(w.undo, func() error { return w.root.Remove(file) })
	return nil
}

func (w *writer) replace(file string) error {
	backup := hiddenName(file)
	// With a link the target is never missing, not even for a moment; not
	// every file system has links.
	if err := w.root.Link(file, backup); err != nil {
		if err := w.rename(file, backup); err != nil {
			return err
		}
	}
	w.backups = append(w.backups, backup)
	w.undo = append(w.undo, func() error { return w.root.Rename(backup, file) })
	if err := w.rename(w.staged[file], file); err != nil {
		return err
	}
	delete(w.staged, file)
	return nil
}

func (w *writer) setAside(file string) error {
	backup := hiddenName(file)
	if err := w.rename(file, backup); err != nil {
		return err
	}
	w.backups = append(w.backups, backup)
	w.undo = append(w.undo, func() error { return w.root.Rename(backup, file) })
	return nil
}

// rollBack takes back all that was done and returns cause, with what could not
// be restored if it came to that.
func (w *writer) rollBack(cause error) error {
	errs := []error{cause}
	for _, step := range slices.Backward(w.undo) {
		if err := step(); err != nil {
			errs = append(errs, fmt.Errorf("putting the old files back: %w", err))
		}
	}
	for _, temp := range w.staged {
		_ = w.root.Remove(temp)
	}
	if len(errs) == 1 {
		// A rename onto another link of the same file does nothing and leaves
		// both names, so a backup can still be there.
		for _, b := range w.backups {
			_ = w.root.Remove(b)
		}
	}
	removeFolders(w.root.Remove, w.folders)
	return errors.Join(errs...)
}

// removeEmpty removes the folders that lost their last file.
func (w *writer) removeEmpty() {
	for _, c := range w.plan.changes {
		if c.Op != Remove {
			continue
		}
		for d := path.Dir(c.Path); d != "."; d = path.Dir(d) {
			if w.root.Remove(d) != nil { // not empty
				break
			}
		}
	}
}
