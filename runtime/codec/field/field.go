// Package field reads values that came as text, such as parameters, headers and the
// fields of forms, into typed fields of Go.
//
//	field.GetOpt(s.Query("limit", param.Form), param.Int64, &r.Limit)
package field

import (
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Sink takes what is wrong with values.
type Sink interface {
	// Wrong takes an error of the value called name. in is its place, one of the
	// constants of package check; [check.InBody] is a field of a form.
	Wrong(in, name string, err error)
}

// Value is one value as it came: see [Get]. It is handed out as a pointer to a place
// that its source fills anew for each value, since one of this size would be copied
// each time: it is valid until the source is asked for the next. The zero Value is
// absent, and nobody misses it. It is not safe for concurrent use.
type Value struct {
	sink  Sink
	in    string
	name  string
	raw   param.Raw
	texts []string // of a field that several parts of a body hold
}

// Set makes v the value called name in a place, and returns v. What is wrong with it
// goes to the sink.
func (v *Value) Set(sink Sink, in, name string, raw param.Raw) *Value {
	*v = Value{sink: sink, in: in, name: name, raw: raw}
	return v
}

// SetRaw gives v another text.
func (v *Value) SetRaw(raw param.Raw) { v.raw = raw }

// Given reports whether there is a value. Of an object laid out as form with explode
// only its members can tell.
func (v *Value) Given() bool { return len(v.texts) > 0 || !v.raw.Absent() }

// fail tells what is wrong with the value.
func (v *Value) fail(err error) {
	if v.sink != nil {
		v.sink.Wrong(v.in, v.name, err)
	}
}

// Violations are those of a value in a place. A field of a form is a member of the
// body, which a pointer names.
func Violations(in, name string, err error) []check.Violation {
	if in != check.InBody {
		return param.Violations(err, in, name)
	}
	list := param.Violations(err, check.InBody, "")
	base := string(check.AppendPointer(nil, name))
	for i := range list {
		list[i].Pointer = base + list[i].Pointer
	}
	return list
}
