package api_test

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c113"
	"cases/kit"
)

var busyTwice = []kit.Reply{{Status: 503}, {Status: 503}, {Status: 201}}

// key is the one header line of a request; more or fewer fail the test.
func key(t *testing.T, r kit.Request) string {
	t.Helper()
	lines := r.Header.Values("Idempotency-Key")
	if len(lines) != 1 || lines[0] == "" {
		t.Fatalf("Idempotency-Key: %q", lines)
	}
	return lines[0]
}

func TestOneKeyForAllTries(t *testing.T) {
	sent := kit.Record(t, append(busyTwice, busyTwice...)...)
	c := kit.Client(t, api.New, sent.URL)
	for range 2 {
		kit.OK(t, c.Charge(t.Context(), api.ChargeRequest{Body: api.ChargeBody{Cents: value.Some[int64](5)}}))
	}
	all := sent.Requests()
	kit.Same(t, "tries", len(all), 6)
	for i := range 3 {
		kit.Same(t, "key of the first call", key(t, all[i]), key(t, all[0]))
		kit.Same(t, "key of the second call", key(t, all[3+i]), key(t, all[3]))
	}
	if key(t, all[0]) == key(t, all[3]) {
		t.Error("two calls share a key")
	}
	if _, err := value.ParseUUID(key(t, all[0])); err != nil {
		t.Error("a key made per call is a UUID", err)
	}
}

func TestCallersKeyWins(t *testing.T) {
	const mine = "0190b2c4-7d1e-7a3b-8f00-0123456789ab"
	id, err := value.ParseUUID(mine)
	kit.OK(t, err)
	sent := kit.Record(t, append(busyTwice, busyTwice...)...)
	c := kit.Client(t, api.New, sent.URL)
	kit.OK(t, c.Charge(t.Context(), api.ChargeRequest{IdempotencyKey: value.Some(id)}))
	kit.OK(t, c.Charge(t.Context(), api.ChargeRequest{}, client.IdempotencyKey(mine)))
	all := sent.Requests()
	kit.Same(t, "tries", len(all), 6)
	for _, r := range all {
		kit.Same(t, "key", key(t, r), mine)
	}
}

func TestParameterExistsOnce(t *testing.T) {
	fields := kit.Parse(t).Fields("ChargeRequest")
	count := 0
	for _, f := range fields {
		if f.Name == "IdempotencyKey" {
			count++
		}
	}
	kit.Same(t, "fields for the key", count, 1)
}

// A POST without a key is not repeated once it was written, whatever the answer.
func TestUnkeyedPostIsSentOnce(t *testing.T) {
	sent := kit.Record(t, busyTwice...)
	kit.Fails(t, kit.Client(t, api.New, sent.URL).Order(t.Context()), "503")
	kit.Same(t, "tries", len(sent.Requests()), 1)

	var handled atomic.Int64
	url := kit.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		handled.Add(1)
		panic(http.ErrAbortHandler) // the connection breaks after the request was read
	}))
	kit.Fails(t, kit.Client(t, api.New, url).Order(t.Context()))
	kit.Same(t, "tries over a broken connection", handled.Load(), int64(1))
}

// A connection that could not be made has carried nothing.
func TestUnkeyedPostIsRepeatedWhenDialFails(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 201})
	var dials atomic.Int64
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) < 3 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: context.DeadlineExceeded}
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	kit.OK(t, kit.Client(t, api.New, sent.URL, client.Transport(transport)).Order(t.Context()))
	kit.Same(t, "dials", dials.Load(), int64(3))
	kit.Same(t, "requests", len(sent.Requests()), 1)
}
