package resilience

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Result is what the annotations of a document come to, with where it comes from.
// It is read-only and safe for concurrent use; it is of use only where Apply has
// reported no error.
type Result struct {
	// Operations are all of the document: paths in document order, each followed by
	// its callbacks, then webhooks.
	Operations []*Operation
	// Profiles are the names of the root's profiles, in document order.
	Profiles []string
}

// Operation is one operation in each form that it can have at run time.
type Operation struct {
	Op *ir.Operation
	// Name is what messages call it: "GET /pets/{id}", "webhook newPet: POST".
	Name string
	// Views are its policies: without a profile first, then under each profile that
	// changes something here, in document order; each followed by its variants.
	Views []*View
}

// View is the policy of an operation under one profile and variant.
type View struct {
	// Profile is empty for none, Variant for a request that no variant is for.
	Profile, Variant string
	// When are the conditions of the variant.
	When       []policy.Condition
	Dependency string
	Client     policy.Client
	Server     policy.Server
	Flaky      bool
	Waive      map[string]string

	o *operation
}

// View finds a policy: that of the profile where it changes something here, else that
// without one. It is nil where there is no such variant.
func (o *Operation) View(profile, variant string) *View {
	if !slices.ContainsFunc(o.Views, func(v *View) bool { return v.Profile == profile }) {
		profile = ""
	}
	for _, v := range o.Views {
		if v.Profile == profile && v.Variant == variant {
			return v
		}
	}
	return nil
}

// Field is one setting of an effective policy.
type Field struct {
	// Path is the setting's in the language: "retry.maxAttempts",
	// "rateLimit.buckets.core.limit", "effect". A primitive that is off has one
	// field, its name.
	Path string
	// Value is the setting as it is written: "3", "[502, 503]"; "off" for a
	// primitive that is off.
	Value  string
	Source Source
}

// Source is where a setting comes from.
type Source struct {
	// Level is "built-in", "defaults", "apply[2]", "tag quotes", "path item",
	// "operation", "variant streamed" or "profile prod".
	Level string
	// Overlay says that an overlay has laid it over that level.
	Overlay bool
	// Policy is the root's policy that the level uses and that says it; empty for
	// none.
	Policy string
	// Preset is the preset that brought it, which stands at Pos by its name; empty
	// for none.
	Preset string
	// Pos is where it is written, Pointer the JSON pointer of that; zero for what is
	// built in.
	Pos     diag.Pos
	Pointer string
}

// BuiltIn is the level of what nobody has written.
const BuiltIn = "built-in"

// ClientFields lists the settings of the client's policy, in the order of the language.
func (v *View) ClientFields() []Field { return v.o.fields(clientSide) }

// ServerFields lists the settings of the server's policy, in the order of the
// language.
func (v *View) ServerFields() []Field { return v.o.fields(serverSide) }

// Field finds a setting by its path, ok false where there is none.
func (v *View) Field(server bool, path string) (f Field, ok bool) {
	list := v.ClientFields()
	if server {
		list = v.ServerFields()
	}
	for _, f := range list {
		if f.Path == path {
			return f, true
		}
	}
	return Field{}, false
}
