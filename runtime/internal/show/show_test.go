package show_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/show"
)

type word uint8

func (w word) String() string { return [...]string{"full", "none"}[w] }

// Mode is named as the one that is left out where it is zero.
type Mode uint8

// String is its word.
func (m Mode) String() string { return [...]string{"enforce", "shadow"}[m] }

type expr struct{ Name string }

func (e expr) String() string { return "$" + e.Name }

type inner struct {
	MaxDelay, Total time.Duration
	Jitter          word
	Mode            Mode
}

type outer struct {
	TTL        time.Duration
	HTTPHeader string
	Key        []expr
	Inner      *inner
	None       *inner
	Ratio      float64
	Tagged     int `json:"n"`
	Left       int `json:"left,omitempty"`
	Hidden     int `json:"-"`
	Map        map[string]int
	own        int
}

func TestFlowAndJSON(t *testing.T) {
	v := outer{
		TTL: 2 * time.Second, HTTPHeader: "a\"<\n\x7f\xff", Key: []expr{{"ip"}},
		Inner: &inner{MaxDelay: -1, Jitter: 0, Mode: 1}, Ratio: 0.1, Hidden: 1, Map: map[string]int{"b": 2, "a": 1}, own: 3,
	}
	want := `{ttl: 2s, httpHeader: "a\"\u003c\u000a\u007f` + "\ufffd" + `", key: ["$ip"], inner: {maxDelay: none, jitter: full, mode: shadow}, ratio: 0.1, n: 0, map: {a: 1, b: 2}}`
	if got := show.Flow(v); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = `{"ttl":"2s","httpHeader":"a\"\u003c\u000a\u007f` + "\ufffd" + `","key":["$ip"],"inner":{"maxDelay":"none","jitter":"full","mode":"shadow"},"ratio":0.1,"n":0,"map":{"a":1,"b":2}}`
	got := string(show.JSON(&v))
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !json.Valid([]byte(got)) {
		t.Error("no JSON")
	}
}

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{(*inner)(nil), "null"},
		{time.Unix(0, 0), `"1970-01-01T00:00:00Z"`},
		{math.NaN(), `"NaN"`},
		{math.Inf(-1), `"-Inf"`},
		{1e21, "1000000000000000000000"},
		{uint16(3), "3"},
		{true, "true"},
		{func() {}, `"func"`},
		{"\u2028", `"\u2028"`},
		{map[int]int{2: 1}, `{"2":1}`},
	} {
		got := string(show.JSON(c.v))
		if got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%v: got %s, want %s", c.v, got, c.want)
		}
	}
}

// What reads as another type, or as punctuation, is quoted.
func TestFlowQuotes(t *testing.T) {
	for s, want := range map[string]string{
		"": `""`, "true": `"true"`, "null": `"null"`, "12": `"12"`, "1.5": `"1.5"`, "a: b": `"a: b"`, "[a": `"[a"`,
		"GET": "GET", "2s": "2s", "/error/code": "/error/code", "caller-runs": "caller-runs", "-": `"-"`,
	} {
		if got := show.Flow(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

type ring struct{ Next *ring }

func TestRingEnds(t *testing.T) {
	r := &ring{}
	r.Next = r
	if got := show.JSON(r); !json.Valid(got) {
		t.Errorf("%s", got)
	}
}

func TestName(t *testing.T) {
	for field, want := range map[string]string{
		"MaxDelay": "maxDelay", "TTL": "ttl", "HTTPHeader": "httpHeader", "ID": "id", "A": "a", "MaxBytes": "maxBytes", "EventID": "eventID",
	} {
		if got := show.Name(field); got != want {
			t.Errorf("%s: got %s, want %s", field, got, want)
		}
	}
}
