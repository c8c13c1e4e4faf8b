package diag

import (
	"io"
	"strconv"
	"strings"
)

// WriteGitHub writes the findings as workflow commands, from which GitHub Actions
// makes annotations of the files:
//
//	::warning file=api.yaml,line=12,col=5,title=major%3A retry-jitter-none::message
//
// Each is one line whatever the document says: what could end a line or a property,
// or drive a terminal, is escaped. Of opt only Dir is used. The error is that of w.
func WriteGitHub(w io.Writer, fs []Finding, opt Options) error {
	var b strings.Builder
	for i := range fs {
		f := &fs[i]
		b.Reset()
		b.WriteString("::" + gitHubLevel(f.Severity) + " ")
		if f.Pos.IsValid() {
			b.WriteString("file=" + gitHubProperty(slashed(relative(opt.Dir, f.Pos.File))) + ",")
			if f.Pos.Line > 0 {
				b.WriteString("line=" + strconv.Itoa(f.Pos.Line) + ",col=" + strconv.Itoa(f.Pos.Col) + ",")
			}
		}
		b.WriteString("title=" + gitHubProperty(f.Tier+": "+f.Code) + "::")
		lines := []string{gitHubData(f.Message)}
		if f.Why != "" {
			lines = append(lines, "why: "+gitHubData(f.Why))
		}
		if f.Hint != "" {
			lines = append(lines, "mend: "+gitHubData(f.Hint))
		}
		b.WriteString(strings.Join(lines, "%0A") + "\n")
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

func gitHubLevel(s Severity) string {
	switch s {
	case Warning:
		return "warning"
	case Note:
		return "notice"
	case Error:
	}
	return "error"
}

// gitHubData escapes a message. Escape has turned line ends into visible text, so
// the percent sign is all that is left of what the runner looks at.
func gitHubData(s string) string { return strings.ReplaceAll(Escape(s), "%", "%25") }

// gitHubProperty escapes the value of a property, which a colon or comma would end.
func gitHubProperty(s string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(Escape(s))
}

func slashed(file string) string { return strings.ReplaceAll(file, `\`, "/") }
