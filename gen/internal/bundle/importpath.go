package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// maxMod bounds what is read of a go.mod file.
const maxMod = 4 << 20

// ErrNoModule says that no go.mod stands above the output folder.
var ErrNoModule = errors.New("no go.mod found above the output folder")

// ImportPath returns the import path of the folder dir, which need not exist:
// the module path of the nearest go.mod in it or above it, and the way from
// there.
func ImportPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	file, data, err := findMod(abs)
	if err != nil {
		return "", err
	}
	return join(filepath.Dir(file), abs, data)
}

// Requires reports whether the module that the folder dir is in can import our
// runtime: it requires our module or is ours. file is its go.mod.
func Requires(dir string) (file string, ok bool, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", false, err
	}
	file, data, err := findMod(abs)
	if err != nil {
		return "", false, err
	}
	mod, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return file, false, err
	}
	ours := func(r *modfile.Require) bool { return r.Mod.Path == Module }
	return file, mod.Module != nil && mod.Module.Mod.Path == Module || slices.ContainsFunc(mod.Require, ours), nil
}

// findMod returns the nearest go.mod in the folder dir or above it.
func findMod(dir string) (file string, data []byte, err error) {
	for root := dir; ; root = filepath.Dir(root) {
		file := filepath.Join(root, "go.mod")
		data, err := readBounded(file)
		if err == nil {
			return file, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(root) {
			return "", nil, err
		}
		if root == filepath.Dir(root) {
			return "", nil, ErrNoModule
		}
	}
}

// isNotDir: below a file there is no go.mod either; the output stage names the
// file that is in the way.
func isNotDir(p string) bool {
	info, err := os.Stat(p)
	return err != nil || !info.IsDir()
}

func join(root, dir string, mod []byte) (string, error) {
	file := filepath.Join(root, "go.mod")
	modulePath := modfile.ModulePath(mod)
	if modulePath == "" {
		return "", fmt.Errorf("%s has no module line", file)
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", err
	}
	p := path.Join(modulePath, filepath.ToSlash(rel))
	if err := CheckImportPath(p); err != nil {
		return "", fmt.Errorf("%w (the module of %s)", err, file)
	}
	return p, nil
}

// CheckImportPath reports what makes p unfit as the import path of a folder.
func CheckImportPath(p string) error {
	err := module.CheckImportPath(p)
	if bad, ok := errors.AsType[*module.InvalidPathError](err); ok {
		return fmt.Errorf("%q is no import path: %w", p, bad.Err)
	}
	return err
}

func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMod+1))
	if err == nil && len(data) > maxMod {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxMod)
	}
	return data, err
}
