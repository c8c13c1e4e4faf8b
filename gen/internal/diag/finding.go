package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
)

// Finding is a diagnostic of a rule that has a weight of its own and can say why it
// is there.
type Finding struct {
	// Diagnostic is what was found: Code is the id of the rule and Hint what mends
	// it. Severity follows Tier, for colours and for formats that have no tiers.
	Diagnostic
	// Tier is "critical", "major", "minor" or "info".
	Tier string
	// Why says what comes of it; empty for a fault that says so itself.
	Why string
}

// WriteFindings writes one block a finding, as [WriteText] does:
//
//	file:line:col: major: message [rule]
//	   12 | the source line
//	      |     ^
//	    why: what comes of it
//	    mend: what to do
//	    file:line:col: a related place
//
// All text is escaped. The error is that of w.
func WriteFindings(w io.Writer, fs []Finding, opt Options) error {
	p := newPrinter(opt)
	for i := range fs {
		p.finding(&fs[i])
		if _, err := w.Write(p.buf.Bytes()); err != nil {
			return err
		}
		p.buf.Reset()
	}
	return nil
}

func (p *printer) finding(f *Finding) {
	if f.Pos.IsValid() {
		p.paint(ansiBold, p.place(f.Pos)+":")
		p.buf.WriteByte(' ')
	}
	p.paint(tierColor(f.Severity), Escape(f.Tier)+":")
	p.buf.WriteString(" " + Escape(f.Message) + " [" + Escape(f.Code) + "]\n")
	p.excerpt(&f.Diagnostic)
	p.labelled("why", f.Why)
	p.labelled("mend", f.Hint)
	for _, r := range f.Related {
		p.buf.WriteString("    " + p.place(r.Pos) + ": " + Escape(r.Message) + "\n")
	}
}

func tierColor(s Severity) string {
	switch s {
	case Warning:
		return ansiYellow
	case Note:
		return ansiCyan
	case Error:
	}
	return ansiRed
}

func (p *printer) labelled(label, text string) {
	if text == "" {
		return
	}
	p.buf.WriteString("    ")
	p.paint(ansiCyan, label+":")
	p.buf.WriteString(" " + Escape(text) + "\n")
}

// jsonFinding is a contract with the tools that read it, as jsonDiagnostic is.
type jsonFinding struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	jsonPlace
	Pointer     string        `json:"pointer"`
	Message     string        `json:"message"`
	Why         string        `json:"why,omitempty"`
	Mend        string        `json:"mend,omitempty"`
	Fingerprint string        `json:"fingerprint"`
	Related     []jsonRelated `json:"related,omitempty"`
}

// WriteFindingsJSON writes all findings as one indented JSON object and a newline:
//
//	{"findings": [{
//	    "severity": "major", "rule": "retry-jitter-none",
//	    "file": "api.yaml", "line": 12, "column": 5, "pointer": "/paths",
//	    "message": "…", "why": "…", "mend": "…", "fingerprint": "…",
//	    "related": [{"file": "…", "line": 3, "column": 1, "message": "…"}]
//	  }],
//	  "counts": {"critical": 0, "major": 1, "minor": 0, "info": 0}}
//
// Of opt only Dir is used. The error is that of w.
func WriteFindingsJSON(w io.Writer, fs []Finding, opt Options) error {
	report := struct {
		Findings []jsonFinding  `json:"findings"`
		Counts   map[string]int `json:"counts"`
	}{
		Findings: make([]jsonFinding, 0, len(fs)),
		Counts:   map[string]int{"critical": 0, "major": 0, "minor": 0, "info": 0},
	}
	marks := Fingerprints(fs, opt)
	for i := range fs {
		f := &fs[i]
		report.Counts[f.Tier]++
		out := jsonFinding{
			Severity: f.Tier, Rule: f.Code, jsonPlace: jsonPlaceOf(f.Pos, opt.Dir),
			Pointer: f.Pointer, Message: f.Message, Why: f.Why, Mend: f.Hint, Fingerprint: marks[i],
		}
		for _, r := range f.Related {
			out.Related = append(out.Related, jsonRelated{jsonPlaceOf(r.Pos, opt.Dir), r.Message})
		}
		report.Findings = append(report.Findings, out)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}

// Fingerprints tell findings apart from run to run: they are made from the rule, the
// file and the JSON pointer, which stay when lines move, and count those that share
// all three.
func Fingerprints(fs []Finding, opt Options) []string {
	out := make([]string, len(fs))
	seen := map[string]int{}
	for i := range fs {
		f := &fs[i]
		// Lengths keep the three apart whatever they hold.
		file := slashed(relative(opt.Dir, f.Pos.File))
		text := strconv.Itoa(len(f.Code)) + ":" + f.Code + strconv.Itoa(len(file)) + ":" + file + f.Pointer
		sum := sha256.Sum256([]byte(text))
		mark := hex.EncodeToString(sum[:8])
		seen[mark]++
		out[i] = mark + ":" + strconv.Itoa(seen[mark])
	}
	return out
}
