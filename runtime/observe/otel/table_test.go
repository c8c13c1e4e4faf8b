package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/logging"
	"github.com/holdfast-go/holdfast/runtime/observe/otel"
	"github.com/holdfast-go/holdfast/runtime/observe/vars"
)

// made is what one event came to, each sorted.
type made struct{ records, counters, metrics, events []string }

// row is a line of the README's table: the words in backquotes of its columns, and the
// levels that the record's column names.
type row struct {
	made

	levels []string
	span   string
}

var quoted = regexp.MustCompile("`([^`]+)`")

func rows(t *testing.T) map[string]row {
	t.Helper()
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	words := func(cell string) (list []string) {
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	out := map[string]row{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 {
			continue
		}
		levels := regexp.MustCompile(`\b(debug|info|warn|error)\b(?:,|\s|$)`).FindAllString(strings.ReplaceAll(cells[2], "with an error", ""), -1)
		for i := range levels {
			levels[i] = strings.ToUpper(strings.Trim(levels[i], ", "))
		}
		out[strings.TrimSpace(cells[0])] = row{
			made{words(cells[2]), words(cells[3]), words(cells[4]), words(cells[5])}, levels, strings.TrimSpace(cells[5]),
		}
	}
	return out
}

// samples are events of each kind, in all forms that the table tells apart.
func samples() map[string][]any {
	failed := errors.New("failed")
	return map[string][]any{
		"AttemptContext": {observe.AttemptStart{Op: "op", Method: "GET", Path: "/a"}},
		"AttemptStart":   {observe.AttemptStart{}},
		"AttemptEnd":     {observe.AttemptEnd{Number: 2, Err: failed}},
		"Wait":           {observe.Wait{Reason: observe.Backoff}, observe.Wait{Reason: observe.RateLimit}},
		"Reject":         {observe.Reject{Reason: observe.Shed}, observe.Reject{Reason: observe.Shed, Shadow: true}},
		"Queued":         {observe.Queued{Admitted: true}, observe.Queued{}},
		"Hedge":          {observe.Hedge{What: "won"}},
		"Cache":          {observe.Cache{Hit: true}, observe.Cache{}, observe.Cache{Err: failed}, observe.Cache{Shadow: true}},
		"Fallback":       {observe.Fallback{What: "answered"}, observe.Fallback{What: "failed"}},
		"BreakerChange":  {observe.BreakerChange{To: observe.Open}, observe.BreakerChange{To: observe.Open, Shadow: true}},
		"Replay":         {observe.Replay{}},
		"StoreFail":      {observe.StoreFail{What: "lock", Err: failed}},
		"CallEnd": {
			observe.CallEnd{Status: 200}, observe.CallEnd{Err: failed}, observe.CallEnd{Err: context.Canceled},
			observe.CallEnd{Status: 404, Err: failed},
		},
		"PolicyReload": {observe.PolicyReload{}, observe.PolicyReload{Err: failed}},
	}
}

// reasons are the words of samples that the table has placeholders for.
var reasons = strings.NewReplacer(".backoff", ".REASON", ".rate-limit", ".REASON", ".shed", ".REASON", ".won", ".WHAT", ".answered", ".WHAT",
	"fallbacks.failed", "fallbacks.WHAT", ".lock", ".WHAT", "breakers.open", "breakers.STATE")

// The table tells what the adapters do: each hook is in it, with the names and levels that
// come out when it is called, no more and no fewer.
func TestTableOfEvents(t *testing.T) {
	table, events := rows(t), samples()
	kind := reflect.TypeFor[observe.Hooks]()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		want, ok := table[name]
		if !ok || len(events[name]) == 0 {
			t.Errorf("%s has no row, or no sample", name)
			continue
		}
		got, levels, begun := call(t, i, events[name])
		if !reflect.DeepEqual(got, want.made) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, want.made)
		}
		slices.Sort(want.levels)
		if !slices.Equal(levels, want.levels) {
			t.Errorf("%s is at %q, and the table says %q", name, levels, want.levels)
		}
		if begun != strings.Contains(want.span, "begins") {
			t.Errorf("%s begins a span: %v", name, begun)
		}
	}
}

// call gives events to the hook with an index, of all adapters.
func call(t *testing.T, index int, events []any) (got made, levels []string, begun bool) {
	t.Helper()
	var log bytes.Buffer
	counts, reader, spans := vars.New(), metric.NewManualReader(), tracetest.NewSpanRecorder()
	tracers := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	o, err := otel.New(otel.Options{Tracers: tracers, Meters: metric.NewMeterProvider(metric.WithReader(reader))})
	if err != nil {
		t.Fatal(err)
	}
	hooks := observe.Join(logging.Hooks(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))), counts.Hooks(), o.ClientHooks())
	ctx, root := tracers.Tracer("test").Start(t.Context(), "root")
	if kind := reflect.TypeOf(*hooks).Field(index).Name; kind == "AttemptEnd" {
		ctx = hooks.AttemptContext(ctx, observe.AttemptStart{Op: "op", Method: "GET", Path: "/a"})
	}
	hook := reflect.ValueOf(hooks).Elem().Field(index)
	for _, e := range events {
		args := []reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(e)}
		if !hook.IsNil() {
			hook.Call(args[2-hook.Type().NumIn():])
		}
	}
	begun = reflect.TypeOf(*hooks).Field(index).Name != "AttemptEnd" && len(spans.Started()) > 1
	root.End()
	unique := func(list []string) []string { slices.Sort(list); return slices.Compact(list) }
	for line := range strings.Lines(log.String()) {
		var r struct {
			Message string `json:"msg"`
			Level   string `json:"level"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got.records, levels = append(got.records, r.Message), append(levels, r.Level)
	}
	var c struct {
		Counts map[string]int `json:"counts"`
	}
	if err := json.Unmarshal([]byte(counts.Map().String()), &c); err != nil {
		t.Fatal(err)
	}
	for name := range maps.Keys(c.Counts) {
		got.counters = append(got.counters, reasons.Replace(name))
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			got.metrics = append(got.metrics, m.Name)
		}
	}
	for _, s := range spans.Ended() {
		for _, e := range s.Events() {
			got.events = append(got.events, e.Name)
		}
	}
	got = made{unique(got.records), unique(got.counters), unique(got.metrics), unique(got.events)}
	return got, unique(levels), begun
}
