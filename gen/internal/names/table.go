package names

import (
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// Table holds the Go identifier of everything in one document that gets one. It is
// safe for concurrent use: nothing changes after [New].
type Table struct {
	types     map[*ir.Type]string
	fields    map[fieldKey]string
	extras    map[*ir.Type]string
	consts    map[constKey]string
	variants  map[variantKey]string
	ops       map[*ir.Operation]Op
	params    map[paramKey]string
	responses map[responseKey]string
	shared    map[string]string // response ID -> name
	headers   map[headerKey]string
	contents  map[contentKey]string
	bodies    map[*ir.Operation]string
	media     map[*ir.Content]string
	parts     map[*ir.Content]*partNames
	urls      map[*ir.Operation]string
	schemes   map[*ir.SecurityScheme]string
	support   map[string]string
	conflicts []Conflict

	partHeaders map[*ir.Param]string

	pkg *scope
}

// The parts of a document may be shared between their owners (a parameter of
// components is in many operations), so a name is found by owner and part.
type (
	fieldKey struct {
		owner *ir.Type
		field *ir.Field
	}
	constKey struct {
		owner *ir.Type
		value *ir.EnumValue
	}
	variantKey struct {
		owner   *ir.Type
		variant *ir.Variant
	}
	paramKey struct {
		owner *ir.Operation
		param *ir.Param
	}
	responseKey struct {
		owner    *ir.Operation
		response *ir.Response
	}
	headerKey struct {
		owner *ir.Response
		param *ir.Param
	}
	contentKey struct {
		owner   *ir.Operation
		content *ir.Content
	}
)

// Op holds the names of one operation, webhook or callback.
type Op struct {
	// Method is the method of Client and Service, or of the webhook or callback
	// interfaces: CreateBooking.
	Method string
	// Base is the method's name made unique over paths, webhooks and callbacks. All
	// other names of the operation begin with it; private ones are [Private] of it.
	Base string
	// Request is the request struct, whether or not it is needed.
	Request string
	// Response is the struct of a success with headers, whether or not it is needed.
	Response string
	// Result is the sealed interface over several successes, whether or not it is needed.
	Result string
}

// New makes the table of a document.
func New(api *ir.API) *Table {
	t := &Table{
		types: map[*ir.Type]string{}, fields: map[fieldKey]string{}, extras: map[*ir.Type]string{},
		consts: map[constKey]string{}, variants: map[variantKey]string{},
		ops: map[*ir.Operation]Op{}, params: map[paramKey]string{},
		responses: map[responseKey]string{}, shared: map[string]string{},
		headers: map[headerKey]string{}, contents: map[contentKey]string{},
		bodies: map[*ir.Operation]string{}, media: map[*ir.Content]string{}, urls: map[*ir.Operation]string{},
		parts: map[*ir.Content]*partNames{}, partHeaders: map[*ir.Param]string{},
		schemes: map[*ir.SecurityScheme]string{}, support: map[string]string{},
	}
	t.pkg = newScope(&t.conflicts)
	t.pkg.reserve("Client", "Service")
	t.nameTypes(api)
	t.nameOperations(api)
	t.nameConstants(api)
	t.nameSupport()
	for _, ty := range api.Types {
		t.nameMembers(ty)
	}
	return t
}

// Conflicts lists each x-go-name that could not be given. The part got another name
// in its place, so the table is whole all the same.
func (t *Table) Conflicts() []Conflict { return t.conflicts }

// Type is the identifier of a declared type. It is empty for a type that has no
// declaration of ours: one written in place, or one replaced by x-go-type.
func (t *Table) Type(ty *ir.Type) string { return t.types[ty] }

// Field is the struct field of a member of an object.
func (t *Table) Field(ty *ir.Type, f *ir.Field) string { return t.fields[fieldKey{ty, f}] }

// Extra is the struct field that holds the members of ty that have no field: Extra,
// or ExtraMembers when a member is called that.
func (t *Table) Extra(ty *ir.Type) string { return t.extras[ty] }

// Const is the constant of an enum's value.
func (t *Table) Const(ty *ir.Type, v *ir.EnumValue) string { return t.consts[constKey{ty, v}] }

// Variant is the struct field of a union's variant.
func (t *Table) Variant(ty *ir.Type, v *ir.Variant) string { return t.variants[variantKey{ty, v}] }

// Op gives the names of an operation of paths, webhooks or callbacks.
func (t *Table) Op(op *ir.Operation) Op { return t.ops[op] }

// Param is the field of a parameter in the operation's request struct. It is never
// Body, nor a method of the struct.
func (t *Table) Param(op *ir.Operation, p *ir.Param) string { return t.params[paramKey{op, p}] }

// Response is the type of one response as the operation's own: CreateBookingOK,
// CreateBookingNotFound, CreateBooking4XX, CreateBookingDefault.
func (t *Table) Response(op *ir.Operation, r *ir.Response) string {
	return t.responses[responseKey{op, r}]
}

// Shared is the one type of a response of components.responses, empty for a response
// written in place.
func (t *Table) Shared(r *ir.Response) string { return t.shared[r.ID] }

// Header is the field of a declared header in the type of its response. It is never
// Body or StatusCode, nor a method of the type.
func (t *Table) Header(r *ir.Response, p *ir.Param) string { return t.headers[headerKey{r, p}] }

// Content is a type for one of several media types: CreateBookingOKCSV of a
// response, UploadFormBody of a request body. See [Media] for the word alone.
func (t *Table) Content(op *ir.Operation, c *ir.Content) string {
	return t.contents[contentKey{op, c}]
}

// Scheme is the constant of a security scheme: SchemeAPIKey.
func (t *Table) Scheme(s *ir.SecurityScheme) string { return t.schemes[s] }

// Support is the identifier of something that each generated package offers, asked
// for by its usual name: "Client", "API", "NewHandler". It panics on a name that is
// not in the list of this package, which only a mistake in the emitter can do.
func (t *Table) Support(name string) string {
	got, ok := t.support[name]
	if !ok {
		panic("names: no support identifier " + name)
	}
	return got
}

// Private makes the identifier of something that a generated package keeps to
// itself from a role and an exported, unique name: Private("decode",
// "CreateBooking") is decodeCreateBooking. The role is one lower-case word.
func Private(role, exported string) string { return role + exported }
