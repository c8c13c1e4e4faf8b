package output

import (
	"errors"
	"fmt"
	"go/format"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Prepare verifies the files of one run and returns them sorted by path, with
// every .go file formatted as gofmt does. It refuses a path that is not clean or
// leads out of the target folder, two files of one path (also where only case
// tells them apart, which many disks do not see), a file without our header, and
// a .go file that does not parse. Such a file is a fault of the generator, never
// of the document, and the error says so. The arguments are not changed.
func Prepare(files []File) ([]File, error) {
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var errs []error
	seen := make(map[string]string, len(sorted))
	for _, f := range sorted {
		if err := checkPath(f.Path); err != nil {
			errs = append(errs, err)
		}
		folded := strings.ToLower(f.Path)
		if other, ok := seen[folded]; ok {
			errs = append(errs, fmt.Errorf("generated files %q and %q have one path", other, f.Path))
		}
		seen[folded] = f.Path
		if !Ours(f.Path, f.Data[:min(len(f.Data), HeadSize)]) {
			errs = append(errs, fmt.Errorf("generated file %q does not start with the header of holdfast", f.Path))
		}
	}
	if len(errs) == 0 {
		errs = formatAll(sorted)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%w\nthis is a fault of holdfast: please report it together with the document", err)
	}
	return sorted, nil
}

func checkPath(p string) error {
	switch {
	case p == "" || p == "." || path.Clean(p) != p:
		return fmt.Errorf("generated path %q is not clean", p)
	case strings.ContainsAny(p, "\\:\x00"):
		return fmt.Errorf("generated path %q has a character that some disks refuse", p)
	case !filepath.IsLocal(filepath.FromSlash(p)):
		return fmt.Errorf("generated path %q leads out of the target folder", p)
	}
	return nil
}

// formatAll formats the .go files in place, a few at a time: the syntax tree of
// a large file takes many times the room of its text.
func formatAll(files []File) []error {
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range files {
		if path.Ext(files[i].Path) != ".go" {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			files[i].Data, errs[i] = formatGo(files[i])
		})
	}
	wg.Wait()
	return errs
}

func formatGo(f File) ([]byte, error) {
	grouped, err := RewriteImports(f.Data, nil)
	if err != nil {
		return nil, fmt.Errorf("generated file %s does not parse: %w", f.Path, err)
	}
	data, err := format.Source(grouped)
	if err != nil {
		return nil, fmt.Errorf("generated file %s does not parse: %w", f.Path, err)
	}
	return data, nil
}
