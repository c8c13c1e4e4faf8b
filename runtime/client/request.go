package client

import (
	"net/http"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Request is a request that is being put together. What cannot be written
// sticks, is reported all at once, and keeps the call from being sent.
//
//	func (r *GetPetRequest) encode(b *client.Request) {
//		b.Path("/pets/")
//		b.PathParam("petId", param.Simple, param.UUID.Format(r.PetID))
//		b.Query("limit", param.Form|param.Explode, param.Opt(param.Int64, r.Limit))
//		client.QueryList(b, "tags", param.Form|param.Explode, param.String, r.Tags)
//	}
type Request struct {
	path   []byte // escaped
	query  []byte // escaped
	cookie []byte
	header http.Header

	contentType string
	body        []byte         // of a body that is there in full
	source      content.Source // of one that is read as it is sent
	kind        bodyKind
	parts       *multipart.Parts // of a multipart body, until it is finished

	wrong []check.Violation
	err   error

	// params remembers where the parameters of the path are, for expressions.
	params []pathParam
	keep   bool

	values [8]string // the headers' values, so that most need no slice of their own
	used   int
	room   [320]byte // the first storage of path and query
}

type bodyKind uint8

const (
	noBody bodyKind = iota
	bytesBody
	sourceBody
)

type pathParam struct {
	name       string
	start, end int
}

// The room is cut in two.
const (
	pathRoom   = 128
	headerRoom = 8
)

// start makes r ready for use.
func (r *Request) start(keepParams bool) {
	r.path = r.room[:0:pathRoom]
	r.query = r.room[pathRoom:pathRoom]
	r.header = make(http.Header, headerRoom)
	r.keep = keepParams
}

// set makes value the only one of a header, whose name is in canonical form.
func (r *Request) set(name, value string) {
	if r.used == len(r.values) {
		r.header[name] = []string{value}
		return
	}
	i := r.used
	r.used++
	r.values[i] = value
	r.header[name] = r.values[i : i+1 : i+1]
}

// fail notes that a parameter cannot be written.
func (r *Request) fail(err error, in, name string) {
	if err != nil && len(r.wrong) < check.MaxViolations {
		r.wrong = append(r.wrong, param.Violations(err, in, name)...)
	}
}

// Fail makes the request one that cannot be sent, because of its body.
func (r *Request) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// problem is why the request cannot be sent.
func (r *Request) problem() error {
	if len(r.wrong) > 0 {
		return &check.Error{Violations: r.wrong}
	}
	return r.err
}

// Path appends literal text of the path, escaped already.
func (r *Request) Path(text string) { r.path = append(r.path, text...) }

// PathParam appends a parameter to the path. An empty one is refused.
func (r *Request) PathParam(name string, style param.Style, v param.Value) {
	start := len(r.path)
	var err error
	r.path, err = param.AppendPath(r.path, name, style, v)
	r.fail(err, check.InPath, name)
	r.remember(name, start)
}

// PathList is PathParam for a list.
func PathList[T any](r *Request, name string, style param.Style, c param.Codec[T], items []T) {
	start := len(r.path)
	var err error
	r.path, err = param.AppendPathList(r.path, name, style, c, items)
	r.fail(err, check.InPath, name)
	r.remember(name, start)
}

func (r *Request) remember(name string, start int) {
	if r.keep {
		r.params = append(r.params, pathParam{name, start, len(r.path)})
	}
}

// RawQuery appends text to the query that is escaped already, such as a query
// that stands in the path template.
func (r *Request) RawQuery(text string) {
	if text == "" {
		return
	}
	if len(r.query) > 0 {
		r.query = append(r.query, '&')
	}
	r.query = append(r.query, text...)
}

// Query adds a parameter to the query; one without a value is left out.
func (r *Request) Query(name string, style param.Style, v param.Value) {
	var err error
	r.query, err = param.AppendQuery(r.query, name, style, v)
	r.fail(err, check.InQuery, name)
}

// QueryList is Query for a list; an empty one is left out.
func QueryList[T any](r *Request, name string, style param.Style, c param.Codec[T], items []T) {
	var err error
	r.query, err = param.AppendQueryList(r.query, name, style, c, items)
	r.fail(err, check.InQuery, name)
}

// Header sets a header that is a parameter; one without a value is left out. A
// list is given by param.ListOf.
func (r *Request) Header(name string, style param.Style, v param.Value) {
	var room [64]byte
	b, err := param.AppendHeader(room[:0], style, v)
	r.putHeader(name, b, err, v.Absent())
}

func (r *Request) putHeader(name string, value []byte, err error, absent bool) {
	switch {
	case err != nil:
		r.fail(err, check.InHeader, name)
	case absent:
	case !isToken(name):
		r.fail(checkField(name, ""), check.InHeader, name)
	default:
		r.set(http.CanonicalHeaderKey(name), string(value))
	}
}

// Cookie adds a cookie; one without a value is left out.
func (r *Request) Cookie(name string, style param.Style, v param.Value) {
	var err error
	r.cookie, err = param.AppendCookie(r.cookie, name, style, v)
	r.fail(err, check.InCookie, name)
}
