package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"text/template"

	"github.com/holdfast-go/holdfast/templates"
)

// NewFile returns the text of a configuration file with one target for the
// given document, folder and package, and every other setting explained in
// comments.
func NewFile(spec, out, pkg string) ([]byte, error) {
	t, err := template.ParseFS(templates.Files, "holdfast.yaml.tmpl")
	if err != nil {
		return nil, fmt.Errorf("the template of the configuration file: %w", err)
	}
	view := struct{ Spec, Out, Package string }{scalar(spec), scalar(out), scalar(pkg)}
	var b bytes.Buffer
	if err := t.Execute(&b, view); err != nil {
		return nil, fmt.Errorf("the template of the configuration file: %w", err)
	}
	return b.Bytes(), nil
}

// scalar writes s so that YAML reads it as that string: plain where nothing can
// be mistaken, else as a JSON string, which is YAML too.
func scalar(s string) string {
	if plain(s) {
		return s
	}
	text, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return `""`
	}
	return string(text)
}

// plain is narrower than YAML: a path of common characters with a letter first,
// and none of the words that YAML reads as something else.
func plain(s string) bool {
	switch s {
	case "", "true", "false", "null", "yes", "no", "on", "off", "y", "n", "True", "False", "Null", "Yes", "No", "On", "Off", "TRUE", "FALSE", "NULL", "YES", "NO", "ON", "OFF", "Y", "N":
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		other := '0' <= c && c <= '9' || c == '/' || c == '.' || c == '_' || c == '-'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return true
}
