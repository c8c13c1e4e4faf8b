package load

import (
	"context"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

const maxDepth = 1000

// EscapeToken escapes one reference token of a JSON pointer.
func EscapeToken(s string) string { return s }

func (n *Node) token() string { return "" }

// Version is the version of the OpenAPI Specification that a document follows.
type Version uint8

// The supported versions. They are ordered: v >= V31 is a fair question.
const (
	V30 Version = iota + 1
	V31
	V32
)

// Document is a root document together with every file that its references
// have reached so far. It is not for concurrent use.
type Document struct {
	Root        *File
	Version     Version
	VersionText string // of the field openapi, as written
}

// Options says what to load and within which bounds. Zero bounds mean the
// defaults given.
type Options struct {
	Path         string        // of the root document; a URL with AllowRemote
	AllowRemote  bool          // lets references use http and https
	Client       *http.Client  // for remote files; nil means one of our own
	Timeout      time.Duration // of one remote file; 30 s
	MaxFileBytes int64         // of one file; 64 MiB
	MaxFiles     int           // 20,000
}

// Load reads the document at opt.Path. Faults go to list; the result is nil
// when the root cannot be read at all.
func Load(ctx context.Context, opt Options, list *diag.List) *Document { return nil }

// Resolve returns the node that ref means at the node from, the scalar that
// holds the reference. The target may itself hold a $ref: chains are the
// caller's. When there is no such node the result is nil and list has an error
// at from; the same from is reported once.
func (d *Document) Resolve(from *Node, ref string, list *diag.List) *Node { return nil }
