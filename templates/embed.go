// Package templates holds the text templates of everything that holdfast writes
// and that is not Go. Go is never written from a template.
package templates

import "embed"

// Files holds the templates by name.
//
//go:embed *.tmpl
var Files embed.FS
