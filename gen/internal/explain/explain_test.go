package explain

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 20500*time.Millisecond - 1: "20.5s", 250 * time.Millisecond: "250ms", 90 * time.Second: "1m30s",
		2 * time.Minute: "2m", time.Hour: "1h", 26 * time.Hour: "26h", 1500 * time.Nanosecond: "2µs",
	} {
		if got := span(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int]string{1: "1", 999: "999", 1223: "1,223", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"one two three", 9, []string{"one two", "three"}},
		{"a-word-that-is-too-long b", 10, []string{"a-word-tha", "t-is-too-l", "ong b"}},
		{"größe größe", 8, []string{"größe", "größe"}},
		{"\x1b[31mred", 20, []string{`\x1b[31mred`}},
	} {
		if diff := cmp.Diff(tt.want, wrap(tt.text, tt.width)); diff != "" {
			t.Errorf("%q in %d:\n%s", tt.text, tt.width, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, width := rapid.String().Draw(t, "text"), rapid.IntRange(8, 60).Draw(t, "width")
		for _, line := range wrap(text, width) {
			if n := utf8.RuneCountInString(line); n > width || strings.ContainsAny(line, "\x1b\n\r\x00") {
				t.Fatalf("%q is %d wide, of %d", line, n, width)
			}
		}
	})
}

// A table of cells keeps its columns and its width, whatever stands in it.
func TestCells(t *testing.T) {
	c := newCanvas(Options{})
	c.cells(2, cell{"one", plain, 6}, cell{"two words and more", plain, 10}, cell{"end", plain, 5})
	want := "  one     two words   end\n          and more\n"
	if got := c.b.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c = newCanvas(Options{Color: true, Width: 1000})
	c.cells(0, cell{"a", bold, 4}, cell{"", dim, 4})
	if got := c.b.String(); got != "\x1b[1ma\x1b[0m\n" || c.width != mostWidth {
		t.Errorf("%q, %d wide", got, c.width)
	}
}

func TestCompact(t *testing.T) {
	for _, tt := range []struct {
		paths, values string
		want          string
	}{
		{"maxAttempts baseDelay", "3 2s", "maxAttempts 3|baseDelay 2s"},
		{"window.count scope", "10 host", "window.count 10|scope host"},
		{"budget.ratio budget.window safety", "0.2 10s effect", "budget {ratio 0.2, window 10s}|safety effect"},
		{"buckets.a.limit buckets.a.per buckets.b.limit", "1 2s 3", "buckets {a {limit 1, per 2s}, b.limit 3}"},
		{"hedge", "", "hedge"},
		// A key that is a value and a parent at once is two things.
		{"a a.b", "1 2", "a 1|a.b 2"},
	} {
		values := strings.Split(tt.values, " ")
		if got := strings.Join(compact(strings.Split(tt.paths, " "), values), "|"); got != tt.want {
			t.Errorf("%s = %s: %s, want %s", tt.paths, tt.values, got, tt.want)
		}
	}
}

func TestSameValue(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"60s", "1m", true},
		{"60s", "1m1s", false},
		{"1.0", "1", true},
		{"off", "off", true},
		{"off", "on", false},
		{"5", "5s", false},
		{"", "0", false},
	} {
		if got := sameValue(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
		if got := sameValue(tt.b, tt.a); got != tt.want {
			t.Errorf("%q and %q: %v", tt.b, tt.a, got)
		}
	}
}

func field(path, value string) Field { return Field{Path: path, Value: value} }

func TestSideChanges(t *testing.T) {
	old := []Field{field("retry.maxAttempts", "2"), field("retry.maxDelay", "60s"), field("hedge", "off"), field("cache.maxAge", "5m"), field("cache.scope", "public")}
	now := []Field{field("retry.maxAttempts", "3"), field("retry.maxDelay", "1m"), field("hedge.delay", "p95"), field("hedge.max", "1"), field("cache", "off"), field("retry.jitter", "none")}
	want := []FieldChange{
		{Side: "client", Path: "hedge", Old: "off", New: "delay p95, max 1"},
		{Side: "client", Path: "cache", Old: "maxAge 5m, scope public", New: "off"},
		{Side: "client", Path: "retry.maxAttempts", Old: "2", New: "3"},
		{Side: "client", Path: "retry.jitter", Old: "", New: "none"},
	}
	got := sideChanges("client", old, now)
	for i := range got {
		got[i].OldSource, got[i].NewSource = nil, nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := sideChanges("client", now, now); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// What most have is left out, but never a setting that would then be taken for
// theirs.
func TestBeyond(t *testing.T) {
	shared := []Field{field("retry.maxAttempts", "2"), field("rateLimit.buckets.flood.limit", "9"), field("rateLimit.buckets.plan.limit", "3"), field("hedge", "off")}
	for _, tt := range []struct {
		name      string
		own, want []Field
	}{
		{"the same", shared, nil},
		{"another value", []Field{field("retry.maxAttempts", "3"), shared[1], shared[2], shared[3]}, []Field{field("retry.maxAttempts", "3")}},
		{"a bucket less", []Field{shared[0], shared[1], shared[3]}, []Field{shared[1]}},
		{"turned on", []Field{shared[0], shared[1], shared[2], field("hedge.max", "1")}, []Field{field("hedge.max", "1")}},
		{"more", append([]Field{field("effect", "read")}, shared...), []Field{field("effect", "read")}},
	} {
		if diff := cmp.Diff(tt.want, beyond(tt.own, shared)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

// More time and more requests are worse, and so is a bound that is gone.
func TestConsequences(t *testing.T) {
	worst := func(total time.Duration, tries int) *WorstCase {
		c := policy.Client{
			Effect: policy.Read, Timeout: &policy.Timeout{Attempt: time.Second, Total: total, Share: 1},
			Retry: &policy.Retry{MaxAttempts: tries, Statuses: policy.StatusSet(503), Errors: policy.AllErrors, Jitter: policy.JitterNone},
		}
		return worstOf(&c, &policy.Server{})
	}
	type row struct{ name, old, now string }
	var got []row
	for _, c := range consequences(worst(10*time.Second, 2), worst(34*time.Second, 3)) {
		got = append(got, row{c.Name, c.Old, c.New})
	}
	want := []row{
		{"worst-case total", "10s", "34s"},
		{"end when it hangs", "2s", "3s"},
		{"tries when it hangs", "2", "3"},
		{"requests a call when all fail", "2", "3"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	// Without a total it is the sum: two tries of 1s, and no wait between them.
	if got := consequences(worst(10*time.Second, 2), worst(policy.None, 2)); len(got) != 1 || got[0].New != "2s" || *got[0].NewValue != 2000 {
		t.Errorf("%+v", got)
	}
	unbounded := worstOf(&policy.Client{Effect: policy.Read}, &policy.Server{})
	if got := consequences(worst(10*time.Second, 2), unbounded); got[0].New != "no bound" || got[0].NewValue != nil || got[1].New != "never" {
		t.Errorf("%+v", got)
	}
	if got := consequences(worst(0, 2), worst(0, 2)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestNotes(t *testing.T) {
	write := policy.Client{Timeout: &policy.Timeout{Attempt: time.Second, Share: 1}, Retry: &policy.Retry{
		MaxAttempts: 2, Statuses: policy.StatusSet(503, 429), Errors: policy.AllErrors, Jitter: policy.JitterNone,
	}}
	keyed := write
	keyed.Idempotency = &policy.Idempotency{Header: "Idempotency-Key"}
	keyed.Retry = &policy.Retry{MaxAttempts: 2, Statuses: policy.StatusSet(503), Errors: policy.AllErrors}
	short := write
	short.Effect, short.Timeout = policy.Read, &policy.Timeout{Attempt: time.Second, Total: time.Second, Floor: time.Millisecond, Share: 1}
	final := short
	final.Retry = &policy.Retry{MaxAttempts: 2, Statuses: policy.StatusSet(503)}
	tight := policy.Client{Effect: policy.Read, Timeout: &policy.Timeout{Attempt: 10 * time.Second, Total: 8 * time.Second, Share: 1}}
	slow := &policy.Server{Timeout: &policy.ServerTimeout{Handler: 30 * time.Second}}
	for _, tt := range []struct {
		name   string
		client policy.Client
		server *policy.Server
		want   string
	}{
		{"a write", write, &policy.Server{}, "A write without an idempotency key is sent once, unless it was refused before any work (429) or never left."},
		{"a caller's key", keyed, &policy.Server{}, "A call without an idempotency key gets 1 try."},
		{"no room", short, &policy.Server{}, "When the dependency hangs there is time for 1 of the 2 tries."},
		{"timeouts are final", final, &policy.Server{}, "A timeout is not among the failures that are repeated."},
		{"no bound", policy.Client{Effect: policy.Read}, &policy.Server{}, "Nothing bounds the whole call: no timeout ends a try."},
		{"a total below the attempt", tight, &policy.Server{}, "A try may take 10s and the whole call 8s: no try ever has its time."},
		{"a server that outlives", final, slow, "The server works for up to 30s on a request that its client gives up after 1s."},
	} {
		notes := worstOf(&tt.client, tt.server).Notes
		if len(notes) == 0 || notes[len(notes)-1] != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, notes, tt.want)
		}
	}
}

// One word that turns several primitives off is one row, as are the defaults; one that is
// turned off by itself keeps its own.
func TestRowsOfWhatIsOff(t *testing.T) {
	word := Source{Level: "operation", File: "a.yaml", Line: 7, Column: 5}
	alone := Source{Level: "operation", File: "a.yaml", Line: 7, Column: 30}
	rows := rowsOf([]Field{
		{Path: "retry", Value: "off", Source: word}, {Path: "timeout.attempt", Value: "1s", Source: word},
		{Path: "hedge", Value: "off", Source: Source{Level: resilience.BuiltIn}}, {Path: "breaker", Value: "off", Source: word},
		{Path: "cache", Value: "off", Source: alone}, {Path: "lock", Value: "off", Source: Source{Level: resilience.BuiltIn, Preset: "x"}},
	}, nil)
	var got []string
	for _, r := range rows {
		got = append(got, r.primitive+": "+r.text()+" from "+r.from())
	}
	want := []string{
		"timeout: attempt 1s from operation a.yaml:7", "cache: off from operation a.yaml:7",
		"off: retry, breaker from operation a.yaml:7", "off: hedge, lock from built-in",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
