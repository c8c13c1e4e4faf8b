package field

import (
	"errors"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// one is the raw text of a value that is no list.
func (v *Value) one() (param.Raw, error) {
	switch len(v.texts) {
	case 0:
		return v.raw, nil
	case 1:
		return param.TextRaw(v.texts[0]), nil
	}
	return param.Raw{}, &check.Error{Violations: []check.Violation{{Rule: "style", Detail: "is given more than once"}}}
}

// parse reads a value. It is false where the value is absent or wrong;
// what is wrong is noted.
func parse[T any](p *Value, c param.Codec[T], required bool) (T, bool) {
	raw, err := p.one()
	var v T
	if err == nil {
		v, err = c.Parse(raw)
	}
	if err == nil {
		return v, true
	}
	if required || !errors.Is(err, param.ErrAbsent) {
		p.fail(err)
	}
	var zero T
	return zero, false
}

// Get reads a required value.
func Get[T any](p *Value, c param.Codec[T], dst *T) {
	if v, ok := parse(p, c, true); ok {
		*dst = v
	}
}

// GetOpt reads an optional value; dst stays as it is where there is none.
func GetOpt[T any](p *Value, c param.Codec[T], dst *value.Opt[T]) {
	if v, ok := parse(p, c, false); ok {
		dst.Set(v)
	}
}

// GetDefault reads a value whose absence stands for a value that dst already
// has.
func GetDefault[T any](p *Value, c param.Codec[T], dst *T) {
	if v, ok := parse(p, c, false); ok {
		*dst = v
	}
}

// GetPtr reads an optional value behind a pointer; dst stays as it is where
// there is none.
func GetPtr[T any](p *Value, c param.Codec[T], dst **T) {
	if v, ok := parse(p, c, false); ok {
		*dst = &v
	}
}

// GetNull reads a value that may be null: where it is absent it stays null,
// for text has no other way to say so.
func GetNull[T any](p *Value, c param.Codec[T], dst *value.Null[T]) {
	if v, ok := parse(p, c, false); ok {
		dst.Set(v)
	}
}

// GetOptNull reads an optional value that may be null.
func GetOptNull[T any](p *Value, c param.Codec[T], dst *value.OptNull[T]) {
	if v, ok := parse(p, c, false); ok {
		dst.Set(v)
	}
}

// GetList reads a list; an optional one stays as it is where there is none.
func GetList[T any](p *Value, c param.Codec[T], dst *[]T, required bool) {
	v, err := list(p, c)
	if err == nil {
		*dst = v
		return
	}
	if required || !errors.Is(err, param.ErrAbsent) {
		p.fail(err)
	}
}

func list[T any](p *Value, c param.Codec[T]) ([]T, error) {
	if len(p.texts) == 0 {
		return param.ParseList(p.raw, c)
	}
	out := make([]T, 0, len(p.texts))
	var wrong []check.Violation
	for i, text := range p.texts {
		v, err := c.Parse(param.TextRaw(text))
		if err == nil {
			out = append(out, v)
			continue
		}
		found := param.Violations(err, "", "")
		for j := range found {
			found[j].Pointer = "/" + strconv.Itoa(i) + found[j].Pointer
		}
		if wrong = append(wrong, found...); len(wrong) >= check.MaxViolations {
			break
		}
	}
	if wrong != nil {
		return nil, &check.Error{Violations: wrong}
	}
	return out, nil
}

// GetMap reads an object whose members have no known names; an optional one stays
// as it is where there is none.
func GetMap[T any](p *Value, c param.Codec[T], dst *map[string]T, required bool) {
	raw, err := p.one()
	if err == nil {
		o := raw.Object()
		var m map[string]T
		param.GetExtra(o, c, &m)
		if err = o.Err(); err == nil && m == nil {
			err = param.ErrAbsent
		}
		if err == nil {
			*dst = m
			return
		}
	}
	if required || !errors.Is(err, param.ErrAbsent) {
		p.fail(err)
	}
}
