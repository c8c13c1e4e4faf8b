package resilience_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func streamOf(p ir.Policy) policy.Stream { return *p.Client.Stream }

func item(pointer string) policy.Expr {
	return policy.Expr{Source: policy.FromResponseBody, Name: pointer}
}

var queryQ = policy.Expr{Source: policy.FromQuery, Name: "q"}

// streamFields are the fields of stream, in the order of the documentation.
var streamFields = []field{
	modeField("stream", "query", "{stream: {mode: shadow}}", func(p ir.Policy) policy.Mode { return p.Client.Stream.Mode }),
	{"stream.first", "query", "{stream: {first: 7ms}}", func(p ir.Policy) any { return streamOf(p) }, policy.Stream{First: ms7}},
	{"stream.retry", "query", "{stream: {retry: never}}", func(p ir.Policy) any { return streamOf(p).Retry }, policy.StreamRetryNever},
	{
		"stream.resume.param", "query", "{stream: {resume: {param: $request.query.q, from: $response.body#/id}}}",
		func(p ir.Policy) any { return *streamOf(p).Resume }, policy.StreamResume{Param: queryQ, From: item("/id")},
	},
	{
		"stream.resume.from", "query", "{stream: {resume: {param: $request.path.id, from: $response.body#/next}}}",
		func(p ir.Policy) any { return *streamOf(p).Resume }, policy.StreamResume{Param: pathID, From: item("/next")},
	},
	{"stream.error.pointer", "query", "{stream: {error: {pointer: /more}}}", func(p ir.Policy) any { return streamOf(p).Error }, "/more"},
}

// What stream is where it is only turned on, and where it is off.
func TestStreamDefault(t *testing.T) {
	got := applyText(t, fieldText("query", "{stream: true}")).clean()
	// Section 7: first 30s, and calls that wait for the first event.
	if d := cmp.Diff(&policy.Stream{First: 30e9}, got.op("a").Policy.Client.Stream); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, text := range []string{"{}", "{stream: false}", "false"} {
		if got := applyText(t, fieldText("query", text)).clean().op("a").Policy.Client.Stream; got != nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// The id of an event is the position without a from, and its header needs no parameter.
func TestStreamResumesByEventID(t *testing.T) {
	text := fieldText("query", "{stream: {resume: {param: $request.header.last-event-id}}}")
	events := strings.Replace(text, "headers: {X-Cost: {schema: {type: integer}}}, content: {application/json:", "content: {text/event-stream:", 1)
	got := applyText(t, events).clean().op("a").Policy.Client.Stream.Resume
	want := &policy.StreamResume{Param: policy.Expr{Source: policy.FromHeader, Name: "last-event-id"}}
	if d := cmp.Diff(want, got); d != "" || !got.ByEventID() {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestStreamRefused(t *testing.T) {
	for _, tc := range []struct{ method, policy, message string }{
		{"query", "{mode: []}", "mode must be one of"},
		{"query", "{first: none}", "is no duration"},
		{"query", "{retry: always}", "want before-first-event or never"},
		{"query", "{resume: {param: $request.query.x, from: $response.body#/id}}", `there is no query parameter "x"`},
		{"query", "{resume: {param: $request.query.q, from: $response.body#/last}}", "nothing at /last"},
		{"query", "{resume: {from: $response.body#/last}}", "resume needs param"},
		{"query", "{resume: {param: $request.query.q}}", "stream.resume needs from"},
		{"query", "{resume: {param: $request.header.Last-Event-ID}}", "only server sent events have ids of their own"},
		{"query", "{resume: {param: $principal, from: $response.body#/id}}", `stream.resume.param "$principal" cannot be given a value`},
		{"query", "{resume: {param: $request.query.q, from: $response.header.X-Cost}}", `stream.resume.from "$response.header.X-Cost" is no place in an item`},
		{"post", "{resume: {param: $request.query.q, from: $response.body#/id}}", "the effect of this one is write"},
		{"query", "{error: {pointer: /fault}}", "nothing at /fault"},
		{"query", "{error: {pointer: id}}", "JSON pointer"},
	} {
		got := applyText(t, fieldText(tc.method, "{stream: "+tc.policy+"}"), resilience.Pending())
		if !strings.Contains(got.text(), tc.message) {
			t.Errorf("%s: want %q, reported:\n%s", tc.policy, tc.message, got.text())
		}
	}
}
