// Package lower turns a loaded document into the generator's intermediate form.
//
// Everything is read straight from the positioned nodes of package load, so that
// each finding has a file, a line and a column, numbers stay exact, and order is
// the document's. The differences between OpenAPI 3.0, 3.1 and 3.2 end here:
// references are followed, parameters of path items are merged into operations,
// defaults of styles are filled in, and departures from the standard that
// published documents are full of are repaired with a warning that tells what was
// assumed.
//
// The files named schema_*.go lower schemas, all others lower the document around
// them.
package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// Options says which part of a document is wanted.
type Options struct {
	// Include keeps only the operations that match one of its entries; Exclude
	// removes those that match one of its entries, also of the included ones. An
	// entry is "tag:NAME", "path:GLOB" or "operation:GLOB"; one without a prefix
	// is a glob of operation ids. In globs of paths * stays within a segment and
	// ** does not; in globs of operation ids * matches anything. Schemas that no
	// kept operation reaches are left out as soon as there is an entry.
	Include, Exclude []string
	// SkipUnsupported turns what the generator cannot express into a warning; the
	// operation that holds it is left out.
	SkipUnsupported bool
	// Exact reads schemas to the letter of JSON Schema: one without a type takes any
	// value, and everything is held to the schema as it is written.
	Exact bool
	// OwnTypes leaves x-go-type out of account, for a program that has to build without
	// the packages that it names.
	OwnTypes bool
}

// Result is a lowered document with the way back to its nodes.
type Result struct {
	API *ir.API
	// Sources holds the nodes of each operation: paths, webhooks and callbacks.
	Sources map[*ir.Operation]Source
}

// Source is where an operation stands in the document.
type Source struct {
	// Operation is the Operation Object.
	Operation *load.Node
	// PathItems are the Path Item Objects above it, weakest first: one that a
	// path item refers to stands before the one that holds the reference.
	PathItems []*load.Node
}

// lowerer holds one run.
type lowerer struct {
	doc  *load.Document
	opt  Options
	list *diag.List
	api  *ir.API

	schemas schemaState // of the schema_*.go files

	sources       map[*ir.Operation]Source
	filter        *filter
	schemes       map[string]*ir.SecurityScheme
	security      []*ir.Requirement   // of the document, for operations without their own
	operations    map[string]diag.Pos // operationId to its first place
	links         []link              // checked once all operations are known
	params        map[*load.Node]*ir.Param
	responses     map[*load.Node]*ir.Response
	containers    map[*load.Node]*load.Node // mappings with the members that a $ref among them leads to
	chains        map[chainKey]*load.Node   // ends of references
	checked       map[*load.Node]bool       // objects whose fields have been checked
	unsupported   int                       // constructs given up so far; see unsupportedf
	forms         []*ir.Type                // structs made of the alternatives of a form
	callbackStack []*load.Node              // callbacks being lowered, outermost first
	callbackCount int
}

// Lower lowers doc. Faults go to list; the result is complete as far as it could
// be read, and only of use when list has no errors.
func Lower(doc *load.Document, opt Options, list *diag.List) *Result {
	l := &lowerer{
		doc: doc, opt: opt, list: list, api: &ir.API{},
		sources:    map[*ir.Operation]Source{},
		schemes:    map[string]*ir.SecurityScheme{},
		operations: map[string]diag.Pos{},
		params:     map[*load.Node]*ir.Param{},
		responses:  map[*load.Node]*ir.Response{},
		containers: map[*load.Node]*load.Node{},
		chains:     map[chainKey]*load.Node{},
		checked:    map[*load.Node]bool{},
	}
	root := doc.Root.Root
	if !root.Is(load.Object) {
		l.wrongKind(root, "the document", load.Object)
		return &Result{API: l.api, Sources: l.sources}
	}
	l.filter = l.newFilter(opt)
	l.checkFields(root, "the document", documentObject)
	l.info(root)
	l.tags(root)
	l.api.Servers = l.servers(root, "the document")
	l.securitySchemes(root)
	l.security = l.requirements(root, "the document")
	l.paths(root)
	l.webhooks(root)
	l.checkLinks()
	l.filter.finish(l)
	l.components(root)
	l.finishSchemas()
	l.api.Types = append(l.api.Types, l.forms...)
	l.dropUnused()
	l.writeRules()
	return &Result{API: l.api, Sources: l.sources}
}
