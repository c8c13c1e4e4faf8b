package param_test

import (
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestParseScalars(t *testing.T) {
	at := time.Date(2024, 5, 14, 2, 43, 39, 755100000, time.FixedZone("", 2*3600))
	q := query(t, "at=2024-05-14T02%3A43%3A39.7551%2B02%3A00&day=2024-02-29&ip=::1&b=-_8&b2=%2B%2F8%3D&n=1e400&flag&f=1.5e3&i8=128&t=true")
	if got, err := param.DateTime.Parse(q.Raw("at", form)); err != nil || !got.Equal(at) {
		t.Errorf("at: %v, %v", got, err)
	}
	if got, err := param.Date.Parse(q.Raw("day", form)); err != nil || got != (value.Date{Year: 2024, Month: 2, Day: 29}) {
		t.Errorf("day: %v, %v", got, err)
	}
	if got, err := param.Addr.Parse(q.Raw("ip", form)); err != nil || got != netip.IPv6Loopback() {
		t.Errorf("ip: %v, %v", got, err)
	}
	for _, name := range []string{"b", "b2"} {
		if got, err := param.Bytes.Parse(q.Raw(name, form)); err != nil || string(got) != "\xfb\xff" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := param.Number.Parse(q.Raw("n", form)); err != nil || got != "1e400" {
		t.Errorf("number: %v, %v", got, err)
	}
	if got, err := param.Float64.Parse(q.Raw("f", form)); err != nil || got != 1500 {
		t.Errorf("float: %v, %v", got, err)
	}
	if got, err := param.BoolOf[bool]().Parse(q.Raw("t", form)); err != nil || !got {
		t.Errorf("bool: %v, %v", got, err)
	}
	if got, err := param.String.Parse(q.Raw("flag", form|param.AllowEmpty)); err != nil || got != "" {
		t.Errorf("flag: %q, %v", got, err)
	}
	if _, err := param.Int64.Parse(q.Raw("flag", form|param.AllowEmpty)); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("flag as number: %v", err)
	}
	for name, err := range map[string]error{
		"must be a date-time":  second(param.DateTime.Parse(q.Raw("day", form))),
		"must be an integer":   second(param.Int64.Parse(q.Raw("f", form))),
		"out of the range":     second(param.Int8.Parse(q.Raw("i8", form))),
		"is out of the range":  second(param.Float64.Parse(q.Raw("n", form))),
		"must be true or":      second(param.Bool.Parse(q.Raw("ip", form))),
		"must be a number":     second(param.Float64.Parse(param.TextRaw("0x1p4"))),
		"must be an IPv4":      second(param.Addr4.Parse(q.Raw("ip", form))),
		"must be an IP":        second(param.Addr.Parse(q.Raw("day", form))),
		"must be base64":       second(param.Bytes.Parse(q.Raw("ip", form))),
		"must be a UUID":       second(param.UUID.Parse(q.Raw("ip", form))),
		"must be a date such":  second(param.Date.Parse(q.Raw("ip", form))),
		"percent-encoded byte": second(param.String.Parse(param.PathRaw("a", "%4", simple))),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := param.Uint64.Parse(param.TextRaw("18446744073709551615")); err != nil || got != math.MaxUint64 {
		t.Errorf("uint64: %v, %v", got, err)
	}
	for _, bad := range []string{"", "+1", "-", "1_000", "0x10", " 1", "1.0"} {
		if _, err := param.Int64.Parse(param.TextRaw(bad)); err == nil {
			t.Errorf("%q is an integer", bad)
		}
	}
	for _, bad := range []string{"", "01", "1.", ".5", "+1", "NaN", "Inf", "1e", "--1"} {
		if _, err := param.Float64.Parse(param.TextRaw(bad)); err == nil {
			t.Errorf("%q is a number", bad)
		}
	}
}

func second[T any](_ T, err error) error { return err }

type status string
type level int8
type share float32

func TestNamedTypes(t *testing.T) {
	if got, err := param.StringOf[status]().Parse(param.TextRaw("new")); err != nil || got != status("new") {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := param.IntOf[level]().Parse(param.TextRaw("-3")); err != nil || got != -3 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := param.IntOf[level]().Parse(param.TextRaw("200")); err == nil {
		t.Error("200 fits int8")
	}
	if got, _ := param.AppendText(nil, param.FloatOf[share]().Format(0.1)); string(got) != "0.1" {
		t.Errorf("float32: %s", got)
	}
	if got, _ := param.AppendText(nil, param.FloatOf[float64]().Format(float64(float32(0.1)))); string(got) != "0.10000000149011612" {
		t.Errorf("float64: %s", got)
	}
	if _, err := param.FloatOf[share]().Parse(param.TextRaw("1e39")); err == nil {
		t.Error("1e39 fits float32")
	}
	if got, err := param.TextOf[netip.Addr]().Parse(param.TextRaw("::1")); err != nil || got != netip.IPv6Loopback() {
		t.Errorf("%v, %v", got, err)
	}
}
