package deadline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// slow answers with a header after a time and with pieces of a body, each after a pause,
// and obeys its context throughout.
type slow struct {
	header time.Duration
	pauses []time.Duration
	got    http.Header
	ctx    context.Context
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.got, s.ctx = r.Header, r.Context()
	if err := sleep.For(r.Context(), s.header); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: &pieces{s}}, nil
}

type pieces struct{ *slow }

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.pauses) == 0 {
		return 0, io.EOF
	}
	if err := sleep.For(p.ctx, p.pauses[0]); err != nil {
		return 0, err
	}
	p.pauses = p.pauses[1:]
	return copy(b, "x"), nil
}

func (*pieces) Close() error { return nil }

// outcome is what came of a request and when: the kind of its error, or what was read.
func outcome(ctx context.Context, t *deadline.Transport) string {
	begin := time.Now()
	h, err := t.RoundTrip(httptest.NewRequest(http.MethodPost, "http://x.test/", nil).WithContext(ctx))
	if err != nil {
		kind := "bare"
		if f, ok := errors.AsType[*fault.Error](err); ok {
			kind = f.Kind.String() + " " + f.Effect.String()
		}
		return fmt.Sprint(kind, " ", errors.Is(err, context.DeadlineExceeded), " ", time.Since(begin))
	}
	text, err := io.ReadAll(h.Body)
	_ = h.Body.Close()
	return fmt.Sprint(string(text), " ", err == nil, " ", errors.Is(err, context.DeadlineExceeded), " ", time.Since(begin))
}

// TestTransportBounds: what each bound cuts, and what it leaves alone.
func TestTransportBounds(t *testing.T) {
	const s = time.Second
	for name, tc := range map[string]struct {
		tr     deadline.Transport
		caller time.Duration
		header time.Duration
		pauses []time.Duration
		want   string
	}{
		"no bounds":                       {header: 9 * s, pauses: []time.Duration{9 * s}, want: "x true false 18s"},
		"late header":                     {tr: deadline.Transport{Header: s}, header: 2 * s, want: "timeout unknown true 1s"},
		"a stream outlives the header":    {tr: deadline.Transport{Header: s}, pauses: []time.Duration{9 * s, 9 * s}, want: "xx true false 18s"},
		"total cuts the body":             {tr: deadline.Transport{Total: 3 * s}, pauses: []time.Duration{2 * s, 2 * s}, want: "x false true 3s"},
		"total cuts the header":           {tr: deadline.Transport{Total: 3 * s, Header: 5 * s}, header: 4 * s, want: "timeout unknown true 3s"},
		"silence":                         {tr: deadline.Transport{Idle: s}, header: 5 * s, pauses: []time.Duration{s / 2, s / 2, 2 * s}, want: "xx false true 7s"},
		"the caller's deadline":           {tr: deadline.Transport{Header: 5 * s}, caller: s, header: 2 * s, want: "bare true 1s"},
		"the caller's holds for the body": {tr: deadline.Transport{Header: 5 * s}, caller: s, pauses: []time.Duration{2 * s}, want: " false true 1s"},
		"nothing left but the reserve": {
			tr: deadline.Transport{Send: true, Reserve: s}, caller: s, want: "timeout safe true 0s",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			if tc.caller > 0 {
				bounded, cancel := context.WithTimeout(ctx, tc.caller)
				defer cancel()
				ctx = bounded
			}
			tc.tr.Base = &slow{header: tc.header, pauses: tc.pauses}
			if got := outcome(ctx, &tc.tr); got != tc.want {
				t.Errorf("%s: %s, want %s", name, got, tc.want)
			}
		})
	}
}

// TestTransportSends: the server is told what is left, less the reserve, and nothing where
// there is no bound.
func TestTransportSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &slow{}
		tr := &deadline.Transport{Base: base, Header: time.Second, Send: true, Reserve: 20 * time.Millisecond}
		outcome(t.Context(), tr)
		if got := base.got.Get("X-Request-Deadline-Ms"); got != "980" {
			t.Errorf("%q", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		tr.As = policy.GRPCTimeout
		outcome(ctx, tr)
		if got, ok := deadline.Received(base.got.Get); got != 480*time.Millisecond || !ok {
			t.Errorf("%v, %v", got, base.got)
		}
		tr.Header = 0
		outcome(t.Context(), tr)
		if len(base.got) != 0 {
			t.Errorf("there is no bound, but %v", base.got)
		}
	})
}

// TestTransportContext: the context of a request lives as long as its body, and no longer;
// one that has ended sends nothing.
func TestTransportContext(t *testing.T) {
	base := &slow{}
	tr := &deadline.Transport{Base: base, Header: time.Minute}
	r := httptest.NewRequest(http.MethodGet, "http://x.test/", nil)
	h, err := tr.RoundTrip(r.WithContext(t.Context()))
	if err != nil || base.ctx.Err() != nil {
		t.Fatal(err, base.ctx.Err())
	}
	if _ = h.Body.Close(); !errors.Is(base.ctx.Err(), context.Canceled) {
		t.Error("the context is still there")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	base.ctx = nil
	body := &closing{Reader: strings.NewReader("order")}
	_, err = tr.RoundTrip(httptest.NewRequest(http.MethodPost, "http://x.test/", body).WithContext(ctx)) //nolint:bodyclose // There is none.
	if !errors.Is(err, context.Canceled) || base.ctx != nil || !body.closed {
		t.Errorf("%v, sent: %v, body closed: %v", err, base.ctx != nil, body.closed)
	}
}

// closing is a request body that knows whether it was closed.
type closing struct {
	io.Reader

	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left, ok := deadline.Received(r.Header.Get)
		fmt.Fprint(w, left > time.Minute, ok)
	}))
	defer server.Close()
	client := http.Client{Transport: &deadline.Transport{
		Header: 2 * time.Minute, Idle: time.Minute, Send: true, Reserve: 20 * time.Millisecond,
	}}
	h, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(h.Body)
	_ = h.Body.Close()
	fmt.Println(string(text))
	// Output: true true
}
