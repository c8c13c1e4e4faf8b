package field_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// noted keeps what is wrong.
type noted struct{ wrong []string }

func (n *noted) Wrong(in, name string, err error) {
	for _, v := range field.Violations(in, name, err) {
		n.wrong = append(n.wrong, v.In+" "+v.Name+v.Pointer+" "+v.Rule)
	}
}

func (n *noted) WrongForm(err error) { n.Wrong(check.InBody, "", err) }

func TestAbsent(t *testing.T) {
	var n noted
	var v field.Value
	absent := func(name string) *field.Value { return v.Set(&n, check.InQuery, name, param.Raw{}) }
	var must, def int64 = 0, 7
	var opt value.Opt[int64]
	var ptr *int64
	var list []int64
	field.Get(absent("must"), param.Int64, &must)
	field.GetDefault(absent("def"), param.Int64, &def)
	field.GetOpt(absent("opt"), param.Int64, &opt)
	field.GetPtr(absent("ptr"), param.Int64, &ptr)
	field.GetList(absent("list"), param.Int64, &list, false)
	field.GetList(absent("needed"), param.Int64, &list, true)
	if def != 7 || opt.IsSet() || ptr != nil || list != nil || absent("x").Given() {
		t.Errorf("default %d, optional %v, pointer %v, list %v", def, opt, ptr, list)
	}
	if diff := cmp.Diff([]string{"query must required", "query needed required"}, n.wrong); diff != "" {
		t.Error(diff)
	}
}

// A field of a form is a member of the body, whose name a pointer escapes; the value of
// a form that is not there is missed by nobody.
func TestPlaces(t *testing.T) {
	var n noted
	var v field.Value
	var got int64
	field.Get(v.Set(&n, check.InBody, "a/b", param.Raw{}), param.Int64, &got)
	field.Get((*field.Form)(nil).Field("x", param.Form), param.Int64, &got)
	field.Get(new(field.Form).Field("x", param.Form), param.Int64, &got)
	if diff := cmp.Diff([]string{"body /a~1b required"}, n.wrong); diff != "" {
		t.Error(diff)
	}
}
