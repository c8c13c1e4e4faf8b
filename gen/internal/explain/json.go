package explain

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the report as JSON; the types of this package are its form.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

// writeJSON writes a value indented. What < and & look like is for the reader to
// say.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
