package bench_test

import (
	stdjson "encoding/json"
	"testing"

	"github.com/go-faster/jx"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/holdfast"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/oapi"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogen"
)

// All of them write the same order, so that the comparison is of like with like. (Its
// time has no fraction: ogen would drop one.)
func TestSameOrder(t *testing.T) {
	ours, theirs, std := oursOrder(t), ogenOrder(t), oapiOrder(t)
	var e jx.Encoder
	theirs.Encode(&e)
	for name, text := range map[string][]byte{"holdfast": marshal(t, &ours), "ogen": e.Bytes(), "encoding/json": marshal(t, std)} {
		var got, want any
		must(t, stdjson.Unmarshal(text, &got))
		must(t, stdjson.Unmarshal(orderText, &want))
		if g, w := string(marshal(t, got)), string(marshal(t, want)); g != w {
			t.Errorf("%s writes %s", name, g)
		}
	}
}

func marshal(tb testing.TB, v any) []byte {
	tb.Helper()
	text, err := stdjson.Marshal(v)
	must(tb, err)
	return text
}

func BenchmarkDecode(b *testing.B) {
	run := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(orderText)))
			loop(b, func() {
				must(b, read())
			})
		})
	}
	run("holdfast", func() error {
		var v holdfast.Order
		return json.Unmarshal(orderText, &v)
	})
	// As a server reads: every member known once, every enum value known.
	run("holdfast-strict", func() error {
		var v holdfast.Order
		return json.UnmarshalMode(orderText, &v, json.Mode{Strict: true, Direction: json.Request})
	})
	run("ogen", func() error {
		var v ogen.Order
		return v.Decode(jx.DecodeBytes(orderText))
	})
	run("encoding-json", func() error {
		var v oapi.Order
		return stdjson.Unmarshal(orderText, &v)
	})
}

func BenchmarkEncode(b *testing.B) {
	run := func(name string, write func() (int, error)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(orderText)))
			loop(b, func() {
				_, err := write()
				must(b, err)
			})
		})
	}
	ours, theirs, std := oursOrder(b), ogenOrder(b), oapiOrder(b)
	run("holdfast", func() (int, error) {
		text, err := json.Marshal(&ours)
		return len(text), err
	})
	run("ogen", func() (int, error) {
		e := new(jx.Encoder) // as its generated code has it
		theirs.Encode(e)
		return len(e.Bytes()), nil
	})
	run("encoding-json", func() (int, error) {
		text, err := stdjson.Marshal(&std)
		return len(text), err
	})
}

func BenchmarkValidate(b *testing.B) {
	ours, theirs := oursOrder(b), ogenOrder(b)
	b.Run("holdfast", func(b *testing.B) {
		var c check.Checker
		loop(b, func() {
			ours.Validate(&c)
		})
		must(b, c.Err())
	})
	b.Run("ogen", func(b *testing.B) {
		loop(b, func() {
			must(b, theirs.Validate())
		})
	})
}

// BenchmarkScan is the floor of a decoder: a strict walk over the text that keeps
// nothing of it.
func BenchmarkScan(b *testing.B) {
	b.Run("holdfast", func(b *testing.B) {
		b.SetBytes(int64(len(orderText)))
		d := new(json.Decoder)
		loop(b, func() {
			d.Start(orderText, json.Mode{})
			d.Skip()
			d.End()
			must(b, d.Err())
		})
	})
	b.Run("jx", func(b *testing.B) {
		b.SetBytes(int64(len(orderText)))
		var d jx.Decoder
		loop(b, func() {
			d.ResetBytes(orderText)
			must(b, d.Skip())
		})
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(orderText)))
		loop(b, func() {
			if !stdjson.Valid(orderText) {
				b.Fatal("not valid")
			}
		})
	})
}

// BenchmarkFloats reads numbers as they come in measurements.
func BenchmarkFloats(b *testing.B) {
	text := []byte(`[1284.37,205.07,2.5,189.9,74.25,96.4,18.75,80.77,-0.000125,6.02214076e23,48.85837,2.294481,0.1,1013.25,299792458,3.141592653589793]`)
	b.Run("holdfast", func(b *testing.B) {
		d := new(json.Decoder)
		loop(b, func() {
			d.Start(text, json.Mode{})
			for d.Array(); d.NextItem(); {
				d.Float64()
			}
			must(b, d.Err())
		})
	})
	b.Run("jx", func(b *testing.B) {
		var d jx.Decoder
		loop(b, func() {
			d.ResetBytes(text)
			must(b, d.Arr(func(d *jx.Decoder) error {
				_, err := d.Float64()
				return err
			}))
		})
	})
}
