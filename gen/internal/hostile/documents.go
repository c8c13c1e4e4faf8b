package hostile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Documents returns the documents below the folders, by path, that are at most limit
// bytes long. Folders that are not there count as empty.
func Documents(limit int64, folders ...string) map[string][]byte {
	out := map[string][]byte{}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
				return nil //nolint:nilerr // see above
			}
			if info, err := d.Info(); err != nil || info.Size() > limit {
				return nil //nolint:nilerr // see above
			}
			if data, err := os.ReadFile(path); err == nil { //nolint:gosec // the caller names the folders
				out[path] = data
			}
			return nil
		})
	}
	return out
}
