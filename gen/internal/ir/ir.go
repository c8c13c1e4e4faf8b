// Package ir is what a document says, in the generator's own words: plain data with
// positions, free of Go text and of any library's names. lower writes it, names and
// emit read it; nobody changes it after lower has returned it. The differences
// between OpenAPI 3.0, 3.1 and 3.2 have ended when an API is here: references are
// followed, allOf is merged, nullable has one form, defaults of parameter styles are
// filled in.
package ir

import (
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// API is one document.
type API struct {
	Title       string
	Version     string // the document's own version, info.version
	OpenAPI     string // as written: "3.1.0"
	Description string
	Types       []*Type      // every declared type that is in use or a component, in document order
	Operations  []*Operation // of paths, in document order
	Webhooks    []*Operation // of webhooks, in document order
	Servers     []*Server    // empty: the URL "/"
	Schemes     []*SecurityScheme
	Rules       []*Rule   // of all constraints, by name
	Schemas     []*Schema // what rules refer to, by name
	Tags        []*Tag    // declared ones, in document order
	Self        string    // $self of OpenAPI 3.2, empty: none
	Dependency  string    // partition of breakers and bulkheads: x-resilience.dependency, else the title in kebab-case
	External    bool      // x-resilience.external
	Replicas    int       // x-resilience.replicas: instances that share the limits, at least 1
	Profiles    []string  // x-resilience.profiles, all names, in document order
	// Targets are the servers that fallbacks and routes name: x-resilience.servers, and
	// those of the document that a rung names.
	Targets []*Target
	// Sources are x-resilience.sources: other documents by name.
	Sources map[string]string
}

// Target is a server that a client may be sent to in place of its own.
type Target struct {
	Name  string
	URL   string
	Query []Pair // added to each request
	Auth  string // the key of the security scheme whose credential it takes; empty: that of the operation
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// Tag is a declared tag.
type Tag struct {
	Name   string
	Pos    diag.Pos
	Doc    Doc
	Kind   string // 3.2: "nav", "badge", …
	Parent string // 3.2: the name of another declared tag, or empty
}

// Doc is text from the document about one thing. It is untrusted.
type Doc struct {
	Title       string
	Summary     string
	Description string
	Deprecated  bool
	ExternalURL string
}

// Origin says where a declared type comes from; a component never loses its name to
// a type of another origin.
type Origin uint8

// The origins of declared types.
const (
	Component Origin = iota // components.schemas, or a schema file of its own
	Inline                  // written inside something else, named after its place
)

// Type is a schema, normalised.
type Type struct {
	// ID is stable: the file (empty for the root document) and the JSON pointer of
	// the schema, "#/components/schemas/Pet".
	ID  string
	Pos diag.Pos
	// Name is the place in the document's own words, from which the Go name is made:
	// {"Pet"} for a component, {"Pet", "owner"} for an inline property,
	// {"createPet", "Body"} for an inline body. Empty for a type that is not declared.
	Name     []string
	Origin   Origin
	GoName   string  // x-go-name, checked
	GoType   *GoType // x-go-type: use this type of another package instead
	Declared bool    // has a Go declaration of its own; false: written in place ([]string)
	Doc      Doc

	Kind                Kind
	Scalar              Scalar         // of KindScalar, and the base of KindEnum
	Format              string         // the format as written, for docs and checks such as "email"
	Nullable            bool           // the schema itself admits null (uses say so again in Use.Nullable)
	Elem                *Use           // of KindArray and KindMap
	Tuple               []*Use         // of KindTuple: prefixItems; Elem is the rest, nil and Closed: no more
	Fields              []*Field       // of KindStruct, in document order
	Extra               *Use           // of KindStruct: the schema of members not in Fields; nil: ignored, or refused when Closed
	Closed              bool           // additionalProperties or items false
	Patterns            []PatternProps // patternProperties; values that match are kept with the extras
	Enum                []*EnumValue   // of KindEnum
	Open                bool           // of KindEnum: a string or number that is not listed is as good, strict or not
	Const               *Value         // the only value, for any kind
	Union               *Union         // of KindUnion
	Target              *Use           // of KindAlias: the type that this one names again
	Checks              *Checks        // constraints of this type, nil when there are none
	ReadOnly, WriteOnly bool           // written on the schema itself
	Default             *Value         // written on the schema itself; uses repeat it
}

// GoType is a type of the user's, from x-go-type and x-go-type-import.
type GoType struct {
	Import string // path; empty for a predeclared type or one of the same package
	Alias  string // wanted import name, may be empty
	Name   string // identifier within that package
}

// Kind is the shape of a type.
type Kind uint8

// The shapes.
const (
	KindAny    Kind = iota // any JSON value; null is one, so Nullable is not set
	KindNever              // no value: the false schema
	KindNull               // null alone
	KindScalar             // one JSON scalar: see Scalar
	KindArray
	KindTuple
	KindMap    // an object with no known members: Elem is the value
	KindStruct // an object with known members
	KindEnum   // a scalar with listed values (Scalar is the base)
	KindUnion
	KindAlias  // another name of Target
	KindBinary // bytes outside JSON: a body, a part, a file; streamed. Inside JSON: text, kept as it is
)

// Scalar is how one JSON scalar is kept. The zero value is String.
type Scalar uint8

// The scalars. Where the JSON is a string holding a number (format int64 on a
// string) the text stays a string.
const (
	String Scalar = iota
	Bool
	Int8
	Int16
	Int32
	Int64 // also integer without a format
	Uint8
	Uint16
	Uint32
	Uint64
	BigInt // an integer of any size: kept as text (value.Number)
	Float32
	Float64 // number without a format
	Decimal // a JSON number whose digits matter: kept as text (value.Number)
	Bytes   // base64 text: format byte, contentEncoding base64
	DateTime
	Date
	Time     // RFC 3339 full-time or partial-time
	Duration // ISO 8601
	UUID
	IPv4
	IPv6
	IP // either
)

// Use is one use of a type: a member, an element, a body, a parameter.
type Use struct {
	Type     *Type
	Nullable bool    // null is allowed here (of the use or of the type)
	Checks   *Checks // constraints written at the use, beyond those of the type
}

// Field is a member of an object.
type Field struct {
	Name      string // on the wire
	GoName    string // x-go-name, checked
	Pos       diag.Pos
	Doc       Doc
	Use       *Use
	Required  bool
	ReadOnly  bool
	WriteOnly bool
	Default   *Value // nil: none
	Secret    bool   // format password: never logged
}

// PatternProps is one entry of patternProperties.
type PatternProps struct {
	Pattern string
	Use     *Use
}

// EnumValue is one listed value.
type EnumValue struct {
	Value  *Value // a string, number or boolean; null only makes the use nullable
	GoName string // x-enum-varnames and its kin, checked; may be empty
	Doc    string
	Pos    diag.Pos
}

// Value is a JSON value of the document: exact text, order kept.
type Value struct {
	Kind    ValueKind
	Text    string // string: decoded; number: as written; boolean: true, false
	Items   []*Value
	Members []MemberValue
}

// MemberValue is a member of an object Value.
type MemberValue struct {
	Name  string
	Value *Value
}

// ValueKind is the JSON kind of a Value.
type ValueKind uint8

// The JSON kinds.
const (
	NullValue ValueKind = iota
	BoolValue
	NumberValue
	StringValue
	ArrayValue
	ObjectValue
)

// Union is oneOf, anyOf, or several types.
type Union struct {
	AnyOf    bool // several variants may hold at once
	Variants []*Variant
	// Dispatch says how a value finds its variant.
	Dispatch Dispatch
	Property string // of ByDiscriminator: the member that tells
	// Fallback takes the objects whose discriminator is absent or has no variant
	// (3.2 defaultMapping); nil: they are refused.
	Fallback *Variant
	// Overlap is a oneOf with an alternative all of whose values are another's too. A
	// client takes such values; strictly there are none.
	Overlap bool
}

// Dispatch is how a decoder chooses a variant.
type Dispatch uint8

// The ways, best first.
const (
	ByDiscriminator Dispatch = iota
	ByKind                   // each variant has another JSON kind
	ByTrial                  // all variants are tried; oneOf wants exactly one, anyOf keeps each that holds
)

// Variant is one alternative.
type Variant struct {
	Name []string // as Type.Name: the component's key, the title, or the kind and place
	Use  *Use
	Keys []string // of ByDiscriminator: the values that choose it
	// Write is the one of Keys that is written when the member is not set. Empty:
	// several would do, so a variant without the member cannot be encoded.
	Write string
}

// Operation is one method of one path, or a webhook or callback.
type Operation struct {
	ID        string   // operationId as written, or empty
	Key       string   // stable: the operationId, else "GET /pets/{id}"
	Name      []string // words for the Go name: {operationId}, or method and path
	GoName    string   // x-go-name, checked
	Pointer   string   // "#/paths/~1pets/get"
	Pos       diag.Pos
	Method    string // upper case: GET, QUERY, or of additionalOperations as written
	Path      string // as written, without a query
	Parts     []PathPart
	PathQuery string // a fixed query written in the path key: "beta=true"
	Fragment  string // written after a # in the path key, never sent
	// Behind is the operation of the same method and path to which a server gives
	// the requests of this one, whose path key differs only in the fragment. nil:
	// the operation has requests of its own.
	Behind    *Operation
	Tags      []string
	Doc       Doc
	Params    []*Param // path, query, header, cookie, querystring; in document order, the operation's over the path's
	Body      *Body    // nil: none
	Responses []*Response
	Security  []*Requirement // alternatives; empty: public
	Servers   []*Server      // of the operation or path; empty: the API's
	Callbacks []*Callback
	Policy    Policy
}

// PathPart is literal text, or one parameter, of a path template.
type PathPart struct {
	Literal string // decoded text; empty for a parameter
	Param   string // its name; empty for literal text
}

// Policy is the resilience of one operation after the merge.
type Policy struct {
	Client     policy.Client
	Server     policy.Server
	Dependency string            // partition of the operation's breaker, bulkhead, budget and buckets
	Flaky      bool              // known to fail: lint asks for a breaker and a fallback
	Waive      map[string]string // findings that are accepted, by rule, with the reason
	Sources    []string          // JSON pointers of the annotations that took part, weakest first
	Words      []string          // sentences for the doc comment: "Up to 2 tries of 10s within 20.5s; …"

	Variants []policy.Variant // in document order
	Profiles []policy.Profile // those that change something, in document order
}

// Param is a parameter, a response header, or a header of a part.
type Param struct {
	Name          string
	GoName        string
	In            string // path, query, header, cookie, querystring
	Pos           diag.Pos
	Doc           Doc
	Required      bool
	Style         string // filled in: form, simple, label, matrix, spaceDelimited, pipeDelimited, deepObject, cookie (3.2)
	Explode       bool
	AllowReserved bool
	AllowEmpty    bool
	Content       string // media type of a `content` parameter; empty: by style
	Use           *Use
	Default       *Value
}

// Body is a request body.
type Body struct {
	Pos      diag.Pos
	Doc      Doc
	Required bool
	Contents []*Content // document order, at least one
}

// ContentKind is how a media type is read and written.
type ContentKind uint8

// The kinds of content.
const (
	ContentJSON      ContentKind = iota // application/json, *+json
	ContentForm                         // application/x-www-form-urlencoded
	ContentMultipart                    // multipart/form-data, multipart/mixed
	ContentText                         // text/plain: a string
	ContentBinary                       // anything else: a stream of bytes
	ContentXML                          // XML: raw bytes, streamed, its declared type kept
	ContentEvents                       // text/event-stream
	ContentLines                        // NDJSON, JSON lines, json-seq
)

// Content is one media type of a body or response.
type Content struct {
	MediaType string // as written in the document, may hold a range such as image/*
	Kind      ContentKind
	Pos       diag.Pos
	Use       *Use // nil: no schema (JSON: raw)
	Item      *Use // of ContentEvents and ContentLines: one item; its Data for events is text when nil
	Event     EventForm
	// Parts are the fields of ContentForm and ContentMultipart, in their order. None,
	// with a map as Use: any member is a field.
	Parts []*Part
}

// EventForm is what Content.Item describes of an event of ContentEvents.
type EventForm uint8

// The forms.
const (
	EventData   EventForm = iota // the data alone, as JSON
	EventText                    // the event as an object of event, data, id and retry; data is its text
	EventObject                  // the same, and data that is a JSON object or array stands in it as JSON
)

// Part is one field of a form or multipart body, with its encoding.
type Part struct {
	Field         *Field
	File          bool        // binary: a file or stream
	Many          bool        // an array: one part each
	Kind          ContentKind // how the part's content is written: ContentText, ContentJSON, ContentBinary
	ContentType   string      // explicit, else empty: one or more media types or ranges
	Style         string      // of ContentForm: form, deepObject, spaceDelimited, pipeDelimited; empty: by Kind
	Explode       bool
	AllowReserved bool
	Headers       []*Param
}

// Response is one declared response.
type Response struct {
	Status    string // "200", "4XX", "default"
	Component string // its name when it is shared by reference: the key of components.responses, or that in another file
	ID        string // file and pointer, as Type.ID
	Pos       diag.Pos
	Doc       Doc
	Headers   []*Param
	Contents  []*Content // empty: no body
}

// Server is one server with its variables.
type Server struct {
	URL         string
	Name        string // 3.2
	Description string
	Variables   []*ServerVariable
}

// ServerVariable is a variable of a server's URL.
type ServerVariable struct {
	Name        string
	Default     string
	Enum        []string
	Description string
}

// Callback is a request that the server sends back.
type Callback struct {
	Name       string // key of the callback
	Expression string // "{$request.body#/hookUrl}"
	Operation  *Operation
}
