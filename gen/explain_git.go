package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// repository reads the files of one revision.
type repository struct {
	ctx    context.Context //nolint:containedctx // The files are read while a run that was started with it goes on.
	root   string          // absolute, without symbolic links
	commit string
	// document is the absolute path of the one that the revision names; empty where
	// it names none.
	document string
}

// maxRevisionFile bounds one file of a revision, like the loader's bound on files.
const maxRevisionFile = 64 << 20

// openRepository finds the repository around a file and the commit of a revision.
func openRepository(ctx context.Context, file, revision string) (*repository, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(revision, "-") {
		return nil, configErrorf("diff", "%s is neither a file nor a revision", revision)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errNoGit
	}
	root, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, configErrorf("diff", "%s is no file, and %s is in no git repository: %v", revision, file, err)
	}
	// The revision comes back as a number: nothing of it is ever taken for an option
	// or a path.
	name, document, named := strings.Cut(revision, ":")
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil || name == "" {
		return nil, configErrorf("diff", "%s is neither a file nor a revision that git knows%s", revision, shallow(ctx, dir))
	}
	r := &repository{ctx: ctx, root: strings.TrimRight(string(root), "\r\n"), commit: strings.TrimSpace(string(commit))}
	if followed, err := filepath.EvalSymlinks(r.root); err == nil {
		r.root = followed
	}
	if named {
		if !filepath.IsLocal(filepath.FromSlash(document)) {
			return nil, configErrorf("diff", "%s: want the path of a document within the repository behind the colon", revision)
		}
		r.document = filepath.Join(r.root, filepath.FromSlash(document))
	}
	return r, nil
}

// shallow says that a repository has a part of its history only, as those of build
// services have.
func shallow(ctx context.Context, dir string) string {
	if is, err := git(ctx, dir, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(string(is)) != "true" {
		return ""
	}
	return ": this clone is shallow, and 'git fetch --unshallow' brings the rest of its history"
}

// has reports whether a file is there at the revision, or now where it is outside of
// the repository.
func (r *repository) has(file string) bool {
	path, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	inside, ok := r.inside(path)
	if !ok {
		_, err := os.Stat(path)
		return err == nil
	}
	_, err = git(r.ctx, r.root, "cat-file", "-e", r.commit+":"+inside)
	return err == nil
}

// read reads a file by its absolute path: as the revision has it where it lies in
// the repository, else as it is now.
func (r *repository) read(path string) ([]byte, error) {
	inside, ok := r.inside(path)
	if !ok {
		return readRegular(path)
	}
	object := r.commit + ":" + inside
	size, err := git(r.ctx, r.root, "cat-file", "-s", object)
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		return nil, fs.ErrNotExist
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(string(size)), 10, 64); err != nil || n > maxRevisionFile {
		return nil, fmt.Errorf("larger than %d bytes in that revision", maxRevisionFile)
	}
	return git(r.ctx, r.root, "cat-file", "blob", object)
}

// inside is a path within the repository, as git writes it.
func (r *repository) inside(path string) (string, bool) {
	// The file may be gone by now; its folder, or one above it, is there.
	dir, rest := filepath.Dir(path), filepath.Base(path)
	for {
		if followed, err := filepath.EvalSymlinks(dir); err == nil {
			dir = followed
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir, rest = parent, filepath.Join(filepath.Base(dir), rest)
	}
	rel, err := filepath.Rel(r.root, filepath.Join(dir, rest))
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// readRegular reads a file that is not one of the repository's.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRevisionFile {
		return nil, errors.New("not a regular file of a fair size")
	}
	return os.ReadFile(path)
}

// git runs git in a folder and returns what it prints; the error is what it says.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		if text == "" {
			text = err.Error()
		}
		return nil, errors.New(strings.TrimPrefix(text, "fatal: "))
	}
	return out.Bytes(), nil
}
