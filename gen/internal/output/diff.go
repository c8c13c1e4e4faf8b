package output

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiffWork bounds edits times bytes of one file's diff: printing it counts
// the lines above each edit anew.
const maxDiffWork = 20e9

// WriteDiff writes what [Plan.Write] would change as one unified diff, old
// files with the prefix a/ and new ones with b/, /dev/null for a file that is
// not there. Paths have forward slashes on every system.
func (p *Plan) WriteDiff(w io.Writer) error {
	for _, c := range p.changes {
		if c.Op == Keep {
			continue
		}
		if _, err := io.WriteString(w, p.diff(c)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) diff(c change) string {
	name := strings.TrimPrefix(filepath.ToSlash(p.shown(c.Path)), "/")
	from, to := "a/"+name, "b/"+name
	if c.Op == Create {
		from = "/dev/null"
	}
	if c.Op == Remove {
		to = "/dev/null"
	}
	before := strings.ReplaceAll(string(c.old), "\r\n", "\n")
	edits := udiff.Lines(before, string(c.new))
	if float64(len(edits))*float64(len(before)) > maxDiffWork {
		return fmt.Sprintf("--- %s\n+++ %s\n# differs in %d places, too many to show\n", from, to, len(edits))
	}
	text, err := udiff.ToUnified(from, to, before, edits, udiff.DefaultContextLines)
	if err != nil { // the edits were made from this very text
		return fmt.Sprintf("--- %s\n+++ %s\n# differs: %v\n", from, to, err)
	}
	return text
}
