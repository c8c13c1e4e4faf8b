package value_test

import (
	"encoding/json"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// patch has one field of each of the four shapes.
type patch struct {
	Req     string                `json:"req"`
	Opt     value.Opt[string]     `json:"opt,omitzero"`
	ReqNull value.Null[string]    `json:"reqNull"`
	OptNull value.OptNull[string] `json:"optNull,omitzero"`
}

func TestEncodingJSONTellsAbsentFromNull(t *testing.T) {
	for _, test := range []struct {
		name string
		in   patch
		want string
	}{
		{"zero", patch{Req: "a"}, `{"req":"a","reqNull":null}`},
		{"null", patch{Req: "a", OptNull: value.NullOf[string]()}, `{"req":"a","reqNull":null,"optNull":null}`},
		{
			"values",
			patch{Opt: value.Some("o"), ReqNull: value.NotNull("r"), OptNull: value.Present("")},
			`{"req":"","opt":"o","reqNull":"r","optNull":""}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(test.in)
			if err != nil || string(got) != test.want {
				t.Fatalf("got %s, %v; want %s", got, err, test.want)
			}
			var back patch
			if err := json.Unmarshal(got, &back); err != nil || back != test.in {
				t.Errorf("back: %+v, %v", back, err)
			}
		})
	}
	var p patch
	if err := json.Unmarshal([]byte(`{"opt":null}`), &p); err == nil {
		t.Error("null for an Opt is no error")
	}
	if err := json.Unmarshal([]byte(`{"reqNull":1}`), &p); err == nil {
		t.Error("a number for a Null[string] is no error")
	}
}

func TestPresenceMethods(t *testing.T) {
	var o value.Opt[int]
	if v, ok := o.Get(); ok || v != 0 || o.IsSet() || !o.IsZero() || o.Or(7) != 7 || o.Ptr() != nil {
		t.Errorf("zero Opt: %+v", o)
	}
	o.Set(0)
	if v, ok := o.Get(); !ok || v != 0 || o.IsZero() || o.Or(7) != 0 {
		t.Errorf("Opt of 0: %+v", o)
	}
	*o.Ptr() = 3
	if o.Or(0) != 3 {
		t.Error("writing through Ptr did not change the Opt")
	}
	if o.Clear(); o.IsSet() {
		t.Error("Clear left a value")
	}

	var n value.Null[int]
	if _, ok := n.Get(); ok || !n.IsNull() || !n.IsZero() || n.Ptr() != nil || n.Or(7) != 7 {
		t.Errorf("zero Null: %+v", n)
	}
	n.Set(0)
	if v, ok := n.Get(); !ok || v != 0 || n.IsNull() || n.Or(7) != 0 || *n.Ptr() != 0 {
		t.Errorf("Null of 0: %+v", n)
	}
	if n.SetNull(); !n.IsNull() {
		t.Error("SetNull left a value")
	}

	var p value.OptNull[int]
	if p.IsSet() || p.IsNull() || !p.IsZero() || p.Ptr() != nil || p.Or(7) != 7 {
		t.Errorf("zero OptNull: %+v", p)
	}
	p.SetNull()
	if _, ok := p.Get(); ok || !p.IsSet() || !p.IsNull() || p.IsZero() || p.Ptr() != nil || p.Or(7) != 7 {
		t.Errorf("null OptNull: %+v", p)
	}
	p.Set(0)
	if v, ok := p.Get(); !ok || v != 0 || !p.IsSet() || p.IsNull() || p.Or(7) != 0 || *p.Ptr() != 0 {
		t.Errorf("OptNull of 0: %+v", p)
	}
	if p.Clear(); !p.IsZero() {
		t.Error("Clear left something")
	}
}

func TestRawKeepsTheText(t *testing.T) {
	const text = `{"b":1.0,"a":[]}`
	var r value.Raw
	in := []byte(text)
	if err := r.UnmarshalJSON(in); err != nil {
		t.Fatal(err)
	}
	in[0] = 'x'
	if got, err := json.Marshal(r); err != nil || string(got) != text {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := json.Marshal(value.Raw(nil)); err != nil || string(got) != "null" {
		t.Errorf("empty: %s, %v", got, err)
	}
	if r.UnmarshalJSON([]byte("{} 1")) == nil {
		t.Error("two values are no error")
	}
}
