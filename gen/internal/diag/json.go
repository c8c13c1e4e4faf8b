package diag

import (
	"encoding/json"
	"io"
)

// jsonReport is the document that WriteJSON writes. Its fields are a contract
// with the tools that read it: fields may be added, none changes its meaning.
type jsonReport struct {
	// Diagnostics in the order given; never null.
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
	// Errors and Warnings count the diagnostics of that severity.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
}

type jsonDiagnostic struct {
	// Severity is "error", "warning" or "note".
	Severity string `json:"severity"`
	// Code is the id of the rule.
	Code string `json:"code"`
	jsonPlace
	// Pointer is the JSON pointer of the node in its file; "" is the root.
	Pointer string `json:"pointer"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Repair says that the fault was repaired, or would have been without
	// --strict.
	Repair  bool          `json:"repair,omitempty"`
	Related []jsonRelated `json:"related,omitempty"`
}

// jsonPlace is a position; line and column are 1-based and left out when there
// is none, column counts code points.
type jsonPlace struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

type jsonRelated struct {
	jsonPlace
	Message string `json:"message"`
}

// WriteJSON writes all diagnostics as one indented JSON object and a newline:
//
//	{"diagnostics": [{
//	    "severity": "error", "code": "unknown-field",
//	    "file": "api.yaml", "line": 12, "column": 5, "pointer": "/paths",
//	    "message": "…", "hint": "…", "repair": true,
//	    "related": [{"file": "…", "line": 3, "column": 1, "message": "…"}]
//	  }],
//	  "errors": 1, "warnings": 0}
//
// hint, repair, related and the parts of a position are left out when empty.
// Of opt only Dir is used. The error is that of w.
func WriteJSON(w io.Writer, ds []Diagnostic, opt Options) error {
	report := jsonReport{Diagnostics: make([]jsonDiagnostic, 0, len(ds))}
	for i := range ds {
		d := &ds[i]
		switch d.Severity {
		case Error:
			report.Errors++
		case Warning:
			report.Warnings++
		case Note:
		}
		out := jsonDiagnostic{
			Severity: d.Severity.String(), Code: d.Code, jsonPlace: jsonPlaceOf(d.Pos, opt.Dir),
			Pointer: d.Pointer, Message: d.Message, Hint: d.Hint, Repair: d.Repair,
		}
		for _, r := range d.Related {
			out.Related = append(out.Related, jsonRelated{jsonPlaceOf(r.Pos, opt.Dir), r.Message})
		}
		report.Diagnostics = append(report.Diagnostics, out)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}

func jsonPlaceOf(p Pos, dir string) jsonPlace {
	if p.Line <= 0 {
		return jsonPlace{File: relative(dir, p.File)}
	}
	return jsonPlace{File: relative(dir, p.File), Line: p.Line, Column: p.Col}
}
