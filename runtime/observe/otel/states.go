package otel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
)

// Watch adds gauges of a source's state, which are read from its snapshot at each
// collection: the number of breakers by state, the load of bulkheads and what is left of
// budgets. Unregister of the result ends it.
func (t *Telemetry) Watch(source snapshot.Source) (metric.Registration, error) {
	breakers, err := t.meter.Int64ObservableGauge("holdfast.breakers", metric.WithUnit("{breaker}"), metric.WithDescription("Breakers by their state."))
	if err != nil {
		return nil, err
	}
	running, err := t.meter.Int64ObservableGauge("holdfast.bulkhead.running", metric.WithUnit("{call}"), metric.WithDescription("Calls in the slots of a bulkhead."))
	if err != nil {
		return nil, err
	}
	waiting, err := t.meter.Int64ObservableGauge("holdfast.bulkhead.waiting", metric.WithUnit("{call}"), metric.WithDescription("Calls in the queue of a bulkhead."))
	if err != nil {
		return nil, err
	}
	left, err := t.meter.Float64ObservableGauge("holdfast.budget.left", metric.WithUnit("{retry}"), metric.WithDescription("Retries that a budget would pay for now."))
	if err != nil {
		return nil, err
	}
	return t.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := source.Snapshot()
		side := sideKey.String(s.Side)
		for at, n := range states(s.Breakers) {
			o.ObserveInt64(breakers, n, with([]attribute.KeyValue{side, nameKey.String(at.name), stateKey.String(at.state.String())}))
		}
		for _, b := range s.Bulkheads {
			name := with([]attribute.KeyValue{side, nameKey.String(b.Name)})
			o.ObserveInt64(running, int64(b.Running), name)
			o.ObserveInt64(waiting, int64(b.Waiting), name)
		}
		for _, b := range s.Budgets {
			o.ObserveFloat64(left, b.Left, with([]attribute.KeyValue{side, nameKey.String(b.Name)}))
		}
		return nil
	}, breakers, running, waiting, left)
}

// nameState is what breakers are counted by.
type nameState struct {
	name  string
	state observe.BreakerState
}

// states counts the breakers of each name by all states, so that a state which has been
// left is told as zero.
func states(list []snapshot.Breaker) map[nameState]int64 {
	out := map[nameState]int64{}
	for _, b := range list {
		for _, s := range []observe.BreakerState{observe.Closed, observe.Open, observe.HalfOpen} {
			out[nameState{b.Name, s}] += 0
		}
		out[nameState{b.Name, b.State}]++
	}
	return out
}
