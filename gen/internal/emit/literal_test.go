package emit

import (
	"go/parser"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

func TestLiterals(t *testing.T) {
	d := &document{}
	state := d.enum("State", ir.String, text("open"), text("shut"))
	e := newEmitter(&d.api, names.New(&d.api), Options{Package: "p"})
	tests := []struct {
		value *ir.Value
		typ   *ir.Type
		want  string // empty: no literal
	}{
		{text("a\"b`\n"), scalar(ir.String), `"a\"b` + "`" + `\n"`},
		{num("9007199254740993"), scalar(ir.Int64), "9007199254740993"},
		{num("18446744073709551615"), scalar(ir.Uint64), "18446744073709551615"},
		{num("1e3"), scalar(ir.Int32), "1000"},
		{num("-128"), scalar(ir.Int8), "-128"},
		{num("-129"), scalar(ir.Int8), ""},
		{num("128"), scalar(ir.Int8), ""},
		{num("-1"), scalar(ir.Uint8), ""},
		{num("1.5"), scalar(ir.Int64), ""},
		{num("1e400000000"), scalar(ir.Int64), ""},
		{num("1e-400000000"), scalar(ir.Int64), ""},
		{num("0.10"), scalar(ir.Float64), "0.1"},
		{num("1e400"), scalar(ir.Float64), ""},
		{num("10.10"), scalar(ir.Decimal), `"10.10"`},
		{text("1"), scalar(ir.Int64), ""},
		{boolean(true), scalar(ir.Bool), "true"},
		{text("2024-02-29"), scalar(ir.Date), "value.Date{Year: 2024, Month: 2, Day: 29}"},
		{text("2023-02-29"), scalar(ir.Date), ""},
		{text("2024-05-14T02:43:39.5+02:00"), scalar(ir.DateTime), `time.Date(2024, 5, 14, 2, 43, 39, 500000000, time.FixedZone("", 7200))`},
		{text("::1"), scalar(ir.IP), `netip.MustParseAddr("::1")`},
		{text("nonsense"), scalar(ir.IP), ""},
		{text("aGk="), scalar(ir.Bytes), `[]byte("hi")`},
		{text("open"), state, "StateOpen"},
		{text("ajar"), state, ""},
		{list(text("a"), text("b")), arrayOf(use(scalar(ir.String))), `[]string{"a", "b"}`},
		{list(num("1")), arrayOf(use(scalar(ir.String))), ""},
		{list(num("1"), &ir.Value{}), anything(), `[]any{value.Number("1"), nil}`},
	}
	for _, tt := range tests {
		code, ok := e.literal(tt.value, tt.typ)
		if ok != (tt.want != "") {
			t.Errorf("%s: ok is %t, want %q", jsonText(tt.value), ok, tt.want)
			continue
		}
		if ok {
			if got := code.GoString(); got != tt.want {
				t.Errorf("%s: got %s, want %s", jsonText(tt.value), got, tt.want)
			}
		}
	}
}

// A string literal is one expression and gives the text back, whatever it holds.
func TestQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching("[\"`\\\\\u202e\n\ra]{0,8}")).Draw(t, "text")
		src := quoted(s).GoString()
		if _, err := parser.ParseExpr(src); err != nil {
			t.Fatalf("%q becomes %s: %v", s, src, err)
		}
		if strings.ContainsAny(src, "\u202e\n\r") {
			t.Fatalf("%q becomes %q", s, src)
		}
	})
}
