package value_test

import (
	"encoding"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestParseDateTime(t *testing.T) {
	berlin := time.FixedZone("", 2*3600)
	for text, want := range map[string]time.Time{
		"2024-05-14T02:43:39.7551+02:00":        time.Date(2024, 5, 14, 2, 43, 39, 755_100_000, berlin),
		"2024-01-02T03:04:05Z":                  time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		"2024-01-02t03:04:05z":                  time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		"2024-02-29T23:59:59.123456789123Z":     time.Date(2024, 2, 29, 23, 59, 59, 123_456_789, time.UTC),
		"0000-01-01T00:00:00-23:59":             time.Date(0, 1, 1, 0, 0, 0, 0, time.FixedZone("", -(23*60+59)*60)),
		"9999-12-31T23:59:59.999999999-00:00":   time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		"1990-12-31T15:59:59.000000001-08:00":   time.Date(1990, 12, 31, 23, 59, 59, 1, time.UTC),
		"1937-01-01T12:00:27.87+00:20":          time.Date(1937, 1, 1, 11, 40, 27, 870_000_000, time.UTC),
		"2024-01-01T00:00:00.0000000000000000Z": time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		got, err := value.ParseDateTime(text)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "2024-05-14", "2024-05-14T02:43:39", "2024-05-14 02:43:39Z", "2024-05-14T02:43Z", "2024-02-30T00:00:00Z",
		"2024-05-14T24:00:00Z", "2024-05-14T00:60:00Z", "2024-05-14T00:00:60Z", "1998-12-31T23:59:60Z",
		"2024-05-14T00:00:00.Z", "2024-05-14T00:00:00,5Z", "2024-05-14T00:00:00+24:00", "2024-05-14T00:00:00+0200",
		"2024-05-14T00:00:00+02:60", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2024-5-14T00:00:00Z",
		"2024-05-14T0:00:00Z", "2024-05-14T00:00:00Zx", "٢٠٢٤-05-14T00:00:00Z",
	} {
		if got, err := value.ParseDateTime(text); err == nil {
			t.Errorf("%s: %v, want an error", text, got)
		}
	}
}

func TestAppendDateTime(t *testing.T) {
	at := time.Date(2024, 5, 14, 2, 43, 39, 755_100_000, time.FixedZone("", 2*3600))
	if got, err := value.AppendDateTime(nil, at); err != nil || string(got) != "2024-05-14T02:43:39.7551+02:00" {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []time.Time{
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 17)), time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 24*3600)),
	} {
		if got, err := value.AppendDateTime(nil, bad); err == nil || len(got) != 0 {
			t.Errorf("%v: %s, want an error", bad, got)
		}
	}
}

// TestDateTimeAgainstStandardLibrary: what time.Time reads strictly is read the
// same.
func TestDateTimeAgainstStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62_000_000_000, 253_000_000_000).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		at = at.In(time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "offset")))
		text, err := value.AppendDateTime(nil, at)
		if err != nil || string(text) != at.Format(time.RFC3339Nano) {
			t.Fatalf("%s, %v", text, err)
		}
		back, err := value.ParseDateTime(string(text))
		if err != nil || !back.Equal(at) {
			t.Fatalf("%s: %v, %v", text, back, err)
		}
		_, want := at.Zone()
		if _, got := back.Zone(); got != want {
			t.Fatalf("offset %d, want %d", got, want)
		}
	})
}

func TestDate(t *testing.T) {
	d, err := value.ParseDate("2024-02-29")
	if err != nil || d != (value.Date{Year: 2024, Month: time.February, Day: 29}) || d.String() != "2024-02-29" {
		t.Fatalf("%v, %v", d, err)
	}
	if got := d.In(time.UTC); !got.Equal(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)) || value.DateOf(got) != d {
		t.Errorf("In: %v", got)
	}
	for _, text := range []string{
		"", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-04-31", "2024-01-00", "2024-1-1",
		"2024-01-32", "24-01-01", "2024/01/01", "2024-01-01T00:00:00Z", "10000-01-01", "２024-01-0",
	} {
		if got, err := value.ParseDate(text); err == nil {
			t.Errorf("%s: %v, want an error", text, got)
		}
	}
	e := value.Date{Year: 2024, Month: time.March, Day: 1}
	if d.Compare(e) != -1 || e.Compare(d) != 1 || d.Compare(d) != 0 {
		t.Error("Compare")
	}
	if _, err := json.Marshal(value.Date{}); err == nil || !(value.Date{}).IsZero() {
		t.Error("the zero Date is no day")
	}
	if got := (value.Date{Year: 7, Month: 1, Day: 2}).String(); got != "0007-01-02" {
		t.Errorf("year 7: %s", got)
	}
}

func TestTime(t *testing.T) {
	for text, want := range map[string]value.Time{
		"12:30:00":             {Hour: 12, Minute: 30},
		"00:00:00Z":            {HasOffset: true},
		"23:59:59.5+02:00":     {Hour: 23, Minute: 59, Second: 59, Nanosecond: 5e8, HasOffset: true, Offset: 120},
		"01:02:03.00004-08:30": {Hour: 1, Minute: 2, Second: 3, Nanosecond: 40_000, HasOffset: true, Offset: -510},
		"23:59:60Z":            {Hour: 23, Minute: 59, Second: 60, HasOffset: true},
		"15:59:60-08:00":       {Hour: 15, Minute: 59, Second: 60, HasOffset: true, Offset: -480},
	} {
		got, err := value.ParseTime(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v (%s), %v", text, got, got, err)
		}
	}
	for _, text := range []string{
		"", "12:30", "24:00:00", "12:60:00", "12:00:61", "12:00:60Z", "1:00:00", "12:00:00.", "12:00:00+2:00", "12:00:00 Z",
	} {
		if got, err := value.ParseTime(text); err == nil {
			t.Errorf("%s: %v, want an error", text, got)
		}
	}
	if _, err := json.Marshal(value.Time{Hour: 24}); err == nil {
		t.Error("hour 24 is written")
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"PT0S": 0, "P0D": 0, "PT1H30M": 90 * time.Minute, "P1DT12H": 36 * time.Hour, "P4W": 28 * 24 * time.Hour,
		"PT0.5S": time.Second / 2, "PT1.000000001S": time.Second + 1, "PT36H": 36 * time.Hour, "-PT1M": -time.Minute,
		"+PT1M": time.Minute, "PT0,5H": 30 * time.Minute, "P0Y0M1D": 24 * time.Hour, "PT0.25M": 15 * time.Second,
		"PT9223372036.854775807S": 1<<63 - 1, "-PT9223372036.854775808S": -1 << 63, "PT1H2S": time.Hour + 2*time.Second,
	} {
		d, err := value.ParseDuration(text)
		if err != nil || d.String() != text {
			t.Errorf("%s: %v, %v", text, d, err)
		}
		if got, ok := d.Exact(); !ok || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"P1Y", "P1M", "P1Y2M3DT4H5M6S", "PT1.0000000001S", "PT9223372036.854775808S", "PT99999999999999999999H"} {
		d, err := value.ParseDuration(text)
		if err != nil || d.String() != text {
			t.Errorf("%s: %v, %v", text, d, err)
		}
		if got, ok := d.Exact(); ok {
			t.Errorf("%s has no exact length, got %v", text, got)
		}
	}
	for _, text := range []string{
		"", "P", "PT", "P1", "1D", "P1D2Y", "P1S", "PT1D", "P1DT", "P1W2D", "P1Y2W", "PT0.5H30M", "PT.5S", "PT5.S",
		"P-1D", "PT1H ", "P1.5DT1H", "P1WT1H", "p1d", "P1D1D",
	} {
		if d, err := value.ParseDuration(text); err == nil {
			t.Errorf("%s: %v, want an error", text, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64().Draw(t, "ns"))
		d, err := value.ParseDuration(value.DurationOf(want).String())
		if got, ok := d.Exact(); err != nil || !ok || got != want {
			t.Fatalf("%v: %v, %v, %v", want, d, got, err)
		}
	})
	if got := value.DurationOf(90*time.Minute + 500*time.Millisecond).String(); got != "PT1H30M0.5S" {
		t.Errorf("DurationOf: %s", got)
	}
}

func TestUUID(t *testing.T) {
	const text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6" // the example of RFC 9562
	want := value.UUID{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6}
	for _, in := range []string{text, "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"} {
		if got, err := value.ParseUUID(in); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
		"g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a76-500a0c91e6bf6",
	} {
		if got, err := value.ParseUUID(in); err == nil {
			t.Errorf("%s: %v, want an error", in, got)
		}
	}
	if !(value.UUID{}).IsZero() || want.IsZero() {
		t.Error("IsZero")
	}
}

// TestTextForms: the types with one written form go through encoding/json and
// come back.
func TestTextForms(t *testing.T) {
	type all struct {
		Date     value.Date         `json:"Date"`
		Time     value.Time         `json:"Time"`
		Duration value.Duration     `json:"Duration"`
		UUID     value.UUID         `json:"UUID"`
		ByUUID   map[value.UUID]int `json:"ByUUID"`
	}
	const text = `{"Date":"2024-02-29","Time":"12:30:00.5Z","Duration":"P1Y","UUID":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",` +
		`"ByUUID":{"f81d4fae-7dec-11d0-a765-00a0c91e6bf6":1}}`
	var v all
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(v); err != nil || string(got) != text {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []encoding.TextUnmarshaler{new(value.Date), new(value.Time), new(value.Duration), new(value.UUID), new(value.Number)} {
		if bad.UnmarshalText([]byte("x")) == nil {
			t.Errorf("%T reads x", bad)
		}
	}
	for _, v := range []any{value.Date{}, value.Time{}, value.Duration{}, value.UUID{}} {
		if _, ok := v.(encoding.TextAppender); !ok {
			t.Errorf("%T is no TextAppender", v)
		}
	}
}

func FuzzFormats(f *testing.F) {
	for _, seed := range []string{"2024-05-14T02:43:39.7551+02:00", "12:30:00Z", "P1DT1.5S", "1e3", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := value.ParseDate(s); err == nil && d.String() != s {
			t.Errorf("date %q is written %q", s, d)
		}
		if at, err := value.ParseDateTime(s); err == nil {
			text, err := value.AppendDateTime(nil, at)
			if back, err2 := value.ParseDateTime(string(text)); err != nil || err2 != nil || !back.Equal(at) {
				t.Errorf("date-time %q is written %q: %v %v", s, text, err, err2)
			}
		}
		if at, err := value.ParseTime(s); err == nil {
			if back, err := value.ParseTime(at.String()); err != nil || back != at {
				t.Errorf("time %q is written %q", s, at)
			}
		}
		if d, err := value.ParseDuration(s); err == nil && d.String() != s {
			t.Errorf("duration %q is written %q", s, d)
		}
		n := value.Number(s)
		if n.Valid() != (json.Valid([]byte(s)) && s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9') && s[len(s)-1] >= '0' && s[len(s)-1] <= '9') {
			t.Errorf("number %q: %v", s, n.Valid())
		}
		if n.Valid() && value.Number(n.Canonical()).Compare(n) != 0 {
			t.Errorf("number %q is canonically %q", s, n.Canonical())
		}
	})
}
