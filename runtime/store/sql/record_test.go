package sqlstore

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/store"
)

func TestHeaderKeepsBytes(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "text")) })
	rapid.Check(t, func(t *rapid.T) {
		var want []store.HeaderField
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			f := store.HeaderField{Name: text.Draw(t, "name")}
			for range rapid.IntRange(0, 4).Draw(t, "values") {
				f.Values = append(f.Values, text.Draw(t, "value"))
			}
			want = append(want, f)
		}
		got, err := parseHeader(appendHeader(nil, want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	})
}

func FuzzParseHeader(f *testing.F) {
	for _, s := range []string{"", "\x00", "\x01\x01A\x01\x01b", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\x01A"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fields, err := parseHeader(b)
		if err != nil {
			return
		}
		again, err := parseHeader(appendHeader(nil, fields))
		if err != nil || !reflect.DeepEqual(again, fields) {
			t.Errorf("%q, %v; want %q", again, err, fields)
		}
	})
}

func TestDigest(t *testing.T) {
	a := digest("k", "ab", "c")
	for _, parts := range [][]string{{"a", "bc"}, {"abc"}, {"ab", "c", ""}, {"", "ab", "c"}} {
		if bytes.Equal(a, digest("k", parts...)) {
			t.Errorf("%q are one", parts)
		}
	}
	if bytes.Equal(a, digest("ka", "b", "c")) || !bytes.Equal(a, digest("k", "ab", "c")) || len(a) != 32 {
		t.Error("the kind")
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{"createPayment": "createPayment", "a\x00b": "a\uFFFDb", "a\xff": "a\uFFFD"} {
		if got := shown(in); got != want {
			t.Errorf("%q is shown as %q", in, got)
		}
	}
	if got := shown(string(make([]byte, 1000))); len(got) != 3*maxShown {
		t.Errorf("%d bytes", len(got))
	}
}

type stateError string

func (e stateError) Error() string    { return string(e) }
func (e stateError) SQLState() string { return string(e) }

type codeError int

func (e codeError) Error() string { return "x" }
func (e codeError) Code() int     { return int(e) }

// The codes are those of PostgreSQL's Appendix A and of sqlite.org/rescode.html.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		d    Dialect
		err  error
		want fault
	}{
		{PostgreSQL, stateError("40001"), conflict},
		{PostgreSQL, stateError("40P01"), conflict},
		{PostgreSQL, stateError("55P03"), busy},
		{PostgreSQL, stateError("42P01"), schema},
		{PostgreSQL, stateError("42501"), schema},
		{PostgreSQL, stateError("23505"), otherFault},
		{PostgreSQL, codeError(5), otherFault},
		{SQLite, codeError(5), busy},
		{SQLite, codeError(6), busy},
		{SQLite, codeError(5 | 2<<8), busy}, // SQLITE_BUSY_SNAPSHOT
		{SQLite, codeError(1), schema},
		{SQLite, codeError(19), otherFault},
		{SQLite, stateError("40001"), otherFault},
		{SQLite, nil, otherFault},
	} {
		if got := c.d.fault(c.err); got != c.want {
			t.Errorf("%v: %#v is %d, want %d", c.d, c.err, got, c.want)
		}
		if c.err != nil {
			if got := c.d.fault(errors.Join(errors.New("outer"), c.err)); got != c.want {
				t.Errorf("%v: wrapped %#v is %d, want %d", c.d, c.err, got, c.want)
			}
		}
	}
}
