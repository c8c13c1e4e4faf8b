//nolint:bodyclose // The responses are those of the tests' own transports, and the client closes them.
package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	files "github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

type onlyReader struct{ io.Reader }

// busy fails n times with 503, then answers 204.
func busy(n int) func(int, http.ResponseWriter) {
	return func(i int, w http.ResponseWriter) {
		if i <= n {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "busy")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// A body that can be read again is sent anew with each try, over one
// connection; any other is sent once, and the error says why.
func TestBodiesAreReplayed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("xhello"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Seek(1, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	const binary = "application/octet-stream"
	for name, body := range map[string]func(*client.Request){
		"JSON":      func(r *client.Request) { r.JSON("application/json", &Booking{ID: "hello"}) },
		"bytes":     func(r *client.Request) { r.Binary(binary, bytes.NewReader([]byte("hello"))) },
		"string":    func(r *client.Request) { r.Binary(binary, strings.NewReader("hello")) },
		"buffer":    func(r *client.Request) { r.Binary(binary, bytes.NewBufferString("hello")) },
		"file":      func(r *client.Request) { r.Binary(binary, file) },
		"own file":  func(r *client.Request) { r.File(binary, files.FileBytes("f", []byte("hello"))) },
		"text":      func(r *client.Request) { r.Text("text/plain", "hello") },
		"multipart": func(r *client.Request) { r.Multipart("").File("f", "", files.FileReader("f", file)) },
		"nothing":   func(r *client.Request) {},
	} {
		var s sent
		url, connections := counted(t, s.handle(busy(2)))
		c := coreOf(t, &client.API{}, client.BaseURL(url))
		var meta client.Meta
		_, err := call(t, c, op("PUT", "/", noContent), func(r *client.Request) { r.Path("/"); body(r) }, client.Into(&meta))
		all := s.all()
		if err != nil || len(all) != 3 || meta.Tries != 3 {
			t.Errorf("%s: %d tries, %v", name, len(all), err)
			continue
		}
		for i, r := range all {
			if r.body != all[0].body || r.length != int64(len(r.body)) || r.body == "" && name != "nothing" ||
				r.header.Get("X-Request-Attempt") != strconv.Itoa(i+1) {
				t.Errorf("%s: try %d sent %q (%d), %v", name, i+1, r.body, r.length, r.header)
			}
		}
		if n := connections(); n != 1 {
			t.Errorf("%s: %d connections", name, n)
		}
	}
	var s sent
	c := core(t, s.handle(busy(2)))
	_, err = call(t, c, op("PUT", "/", noContent), func(r *client.Request) {
		r.Path("/")
		r.Binary(binary, onlyReader{strings.NewReader("hello")})
	})
	if f := faultOf(t, err); len(s.all()) != 1 || f.Stop != fault.StopBody || !strings.Contains(err.Error(), "cannot be replayed") || s.all()[0].body != "hello" {
		t.Errorf("reader: %d tries, %v", len(s.all()), err)
	}
}

// A failing source is no fault of the service, and says what failed.
func TestSourceThatFails(t *testing.T) {
	fail := errors.New("disk on fire")
	c := core(t, none)
	_, err := call(t, c, op("PUT", "/", noContent), func(r *client.Request) {
		r.Path("/")
		r.Binary("image/png", io.MultiReader(strings.NewReader("x"), failing{fail}))
	})
	if f := faultOf(t, err); !errors.Is(err, fail) || f.Attempts != 1 {
		t.Errorf("%v", err)
	}
	_, err = call(t, c, op("PUT", "/", noContent), func(r *client.Request) {
		r.Path("/")
		r.File("image/png", files.File{Open: func() (io.ReadCloser, error) { return nil, fail }})
	})
	if f := faultOf(t, err); !errors.Is(err, fail) || f.Kind != fault.Request {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func keyed(source policy.KeySource, from ...policy.Expr) func(*policy.Spec) {
	return func(s *policy.Spec) {
		s.Client.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Key: source, From: from}
	}
}

// All tries of a call carry one key, two calls two; the caller's wins.
func TestIdempotencyKeys(t *testing.T) {
	var s sent
	keys := func(err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range s.all() {
			lines := r.header["Idempotency-Key"]
			if len(lines) > 1 {
				t.Errorf("several lines: %q", lines)
			}
			out = append(out, strings.Join(lines, "|"))
		}
		s.list = nil
		return out
	}
	c := core(t, func(w http.ResponseWriter, r *http.Request) { s.handle(busy(2))(w, r) })
	path := func(r *client.Request) { r.Path("/charges") }
	own := func(r *client.Request) { path(r); r.Header("Idempotency-Key", param.Simple, param.TextValue("mine")) }
	perCall := op("POST", "/charges", noContent, keyed(policy.KeyPerCall))
	var meta client.Meta
	_, err := call(t, c, perCall, path, client.Into(&meta))
	first := keys(err)
	if len(first) != 3 || first[0] == "" || first[0] != first[1] || first[0] != first[2] || len(first[0]) != 36 || meta.Key != first[0] {
		t.Errorf("one call: %q", first)
	}
	_, err = call(t, c, perCall, path)
	if second := keys(err); second[0] == first[0] {
		t.Error("two calls have one key")
	}
	_, err = call(t, c, perCall, own)
	if got := keys(err); fmt.Sprint(got) != "[mine mine mine]" {
		t.Errorf("parameter: %q", got)
	}
	_, err = call(t, c, perCall, own, client.IdempotencyKey("option"))
	if got := keys(err); fmt.Sprint(got) != "[option option option]" {
		t.Errorf("option: %q", got)
	}
	// Without a key a write is not repeated, with one it is.
	caller := op("POST", "/charges", noContent, keyed(policy.KeyCaller))
	_, err = call(t, c, caller, path)
	f := faultOf(t, err)
	if got := keys(nil); len(got) != 1 || got[0] != "" || f.Stop != fault.StopEffect || f.Effect != fault.Unknown {
		t.Errorf("no key: %q, %+v", got, f)
	}
	_, err = call(t, c, caller, path, client.IdempotencyKey("k"))
	if got := keys(err); fmt.Sprint(got) != "[k k k]" {
		t.Errorf("caller's: %q", got)
	}
	quoted := op("POST", "/charges", noContent, keyed(policy.KeyCaller), func(s *policy.Spec) { s.Client.Idempotency.Quoted = true })
	_, err = call(t, c, quoted, path, client.IdempotencyKey("k"))
	if got := keys(err); fmt.Sprint(got) != `["k" "k" "k"]` {
		t.Errorf("quoted: %q", got)
	}
	for _, bad := range []string{"", "a\r\nb", strings.Repeat("k", 256), "ü"} {
		if _, err := call(t, c, caller, path, client.IdempotencyKey(bad)); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := call(t, c, op("POST", "/", noContent), path, client.IdempotencyKey("k")); err == nil || !strings.Contains(err.Error(), "no idempotency") {
		t.Errorf("without idempotency: %v", err)
	}
	if got := keys(nil); got != nil {
		t.Errorf("sent all the same: %q", got)
	}
}

// The vector of the x-resilience language.
func TestDerivedKey(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	o := op("POST", "/orders", noContent, keyed(policy.KeyDerived,
		policy.Expr{Source: policy.FromPath, Name: "id"}, policy.Expr{Source: policy.FromBody}), func(s *policy.Spec) { s.ID = "createOrder" })
	order := func(id, body string) encoder {
		return func(r *client.Request) {
			r.Path("/orders/")
			r.PathParam("id", param.Simple, param.TextValue(id))
			r.Bytes("application/json", []byte(body))
		}
	}
	for _, body := range []string{`{"amount":100,"currency":"USD"}`, "{ \"currency\": \"USD\",\n\"amount\": 100 }"} {
		if _, err := call(t, c, o, order("order-123", body)); err != nil {
			t.Fatal(err)
		}
		if got := s.last(t).header.Get("Idempotency-Key"); got != "f8d654ec74ff67e482460026dc8b638c" {
			t.Errorf("%s: %s", body, got)
		}
	}
	if _, err := call(t, c, o, order("order/124", `{}`)); err != nil {
		t.Fatal(err)
	}
	n := len(s.all())
	_, err := call(t, c, o, order("order-123", "{"))
	if f := faultOf(t, err); f.Kind != fault.Request || len(s.all()) != n {
		t.Errorf("a body that is no JSON: %v", err)
	}
}

// Every value of a request that a key can be made of.
func TestDerivedKeySources(t *testing.T) {
	key := func(from policy.Expr, encode encoder, opts ...client.Option) (string, error) {
		var s sent
		api := securityAPI()
		url := newServer(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
		c := coreOf(t, api, append(opts, client.BaseURL(url), client.APIKey("h", "K"))...)
		o := op("POST", "/", noContent, keyed(policy.KeyDerived, from), func(s *policy.Spec) { s.ID = "o" })
		o.Security = alternatives(api.Schemes[2:3])
		if _, err := call(t, c, o, encode); err != nil {
			return "", err
		}
		return s.last(t).header.Get("Idempotency-Key"), nil
	}
	request := func(r *client.Request) {
		r.Path("/a")
		r.Query("q", formExplode, param.ListOf(param.String).Format([]string{"x y", "z"}))
		r.Header("X-A", param.Simple, param.TextValue("h"))
		r.JSON("application/json", &Booking{ID: "7"})
	}
	expr := func(s policy.Source, name string) policy.Expr { return policy.Expr{Source: s, Name: name} }
	seen := map[string]string{}
	for _, from := range []policy.Expr{
		expr(policy.FromQuery, "q"), expr(policy.FromHeader, "x-a"), expr(policy.FromBody, "/id"), expr(policy.FromRequest, ""),
		expr(policy.FromMethod, ""), expr(policy.FromOperation, ""), expr(policy.FromPrincipal, ""), expr(policy.FromURL, ""),
	} {
		k, err := key(from, request)
		if err != nil || len(k) != 32 || seen[k] != "" {
			t.Errorf("%s: %q, %v, as %s", from, k, err, seen[k])
		}
		seen[k] = from.String()
	}
	for _, from := range []policy.Expr{
		expr(policy.FromQuery, "none"), expr(policy.FromHeader, "none"), expr(policy.FromBody, "/none"), expr(policy.FromBody, "/id/0"),
		expr(policy.FromPath, "none"), expr(policy.FromIP, ""), expr(policy.FromClaim, "x"),
	} {
		if k, err := key(from, request); err == nil {
			t.Errorf("%s: %q", from, k)
		}
	}
	text := func(r *client.Request) { r.Path("/"); r.Text("text/plain", "abc") }
	if _, err := key(expr(policy.FromBody, ""), text); err != nil {
		t.Errorf("a text: %v", err)
	}
	stream := func(r *client.Request) { r.Path("/"); r.Binary("text/plain", strings.NewReader("abc")) }
	if _, err := key(expr(policy.FromBody, ""), stream); err == nil {
		t.Error("a stream has a value")
	}
}

// replies is a transport that answers one thing after the other, at the times
// that the bubble's clock shows.
func replies(at *[]time.Duration, answers ...func() (*http.Response, error)) transport {
	start := time.Time{}
	n := 0
	return func(r *http.Request) (*http.Response, error) {
		if start.IsZero() {
			start = time.Now()
		}
		*at = append(*at, time.Since(start))
		f := answers[min(n, len(answers)-1)]
		n++
		h, err := f()
		if h != nil {
			h.Request = r
		}
		return h, err
	}
}

func reply(status int, body string, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Add(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
	}
}

func TestRetryAfter(t *testing.T) {
	total := func(s *policy.Spec) { s.Client.Timeout = &policy.Timeout{Attempt: time.Second, Total: 2 * time.Second} }
	problem := []string{"Content-Type", "application/problem+json", "Retry-After"}
	o := op("GET", "/limited", func(r *client.Response) (any, error) {
		switch {
		case r.Is(200, "application/json"):
			return 1, nil
		case r.Is(429, "application/problem+json"):
			var e TooMany
			return nil, r.Fail(&e, r.JSON(&e.Body))
		}
		return nil, r.Undeclared()
	}, total)
	for name, test := range map[string]struct {
		hint     func() string
		from, to time.Duration // of the second try
	}{
		"seconds":  {func() string { return "1" }, time.Second, 1200 * time.Millisecond},
		"date":     {func() string { return time.Now().Add(time.Second).UTC().Format(http.TimeFormat) }, 0, 1200 * time.Millisecond},
		"garbage":  {func() string { return "soon" }, 10 * time.Millisecond, 10 * time.Millisecond},
		"negative": {func() string { return "-5" }, 10 * time.Millisecond, 10 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Duration
			c := bubble(t, replies(&at, reply(429, `{"title":"slow"}`, append(problem, test.hint())...), reply(200, "{}")))
			if _, err := call(t, c, o, nil); err != nil || len(at) != 2 || at[1] < test.from || at[1] > test.to {
				t.Errorf("%s: tries at %v, %v", name, at, err)
			}
		})
	}
	// A hint that does not fit returns the response now, body and all.
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		c := bubble(t, replies(&at, reply(429, `{"title":"slow"}`, append(problem, "3600")...)))
		start := time.Now()
		_, err := call(t, c, o, nil)
		var tooMany *TooMany
		if !errors.As(err, &tooMany) || tooMany.Body.Title != "slow" || errors.Is(err, context.DeadlineExceeded) || len(at) != 1 || time.Since(start) != 0 {
			t.Errorf("%v after %v, tries at %v", err, time.Since(start), at)
		}
		if f := faultOf(t, err); f.RetryAt.Sub(start) != time.Hour || f.Status != 429 {
			t.Errorf("%+v", f)
		}
	})
}

// The last response of several has its body, too.
func TestBodyOfLastFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		var meta client.Meta
		c := bubble(t, replies(&at, reply(503, "one"), reply(503, "two"), reply(503, "three")))
		_, err := call(t, c, op("GET", "/", noContent), nil, client.Into(&meta))
		var status *client.StatusError
		if !errors.As(err, &status) || string(status.Body) != "three" {
			t.Errorf("%v", err)
		}
		f := faultOf(t, err)
		if f.Attempts != 3 || f.Stop != fault.StopAttempts || meta.Tries != 3 || meta.Waited != 30*time.Millisecond || meta.Status != 503 {
			t.Errorf("%+v, %+v", f, meta)
		}
	})
}

func TestCallOptions(t *testing.T) {
	for name, test := range map[string]struct {
		opts  []client.CallOption
		tries int
	}{
		"policy":  {nil, 3},
		"tries":   {[]client.CallOption{client.Tries(2)}, 2},
		"noRetry": {[]client.CallOption{client.NoRetry()}, 1},
		"nil":     {[]client.CallOption{nil}, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Duration
			c := bubble(t, replies(&at, reply(503, "")))
			if _, err := call(t, c, op("GET", "/", noContent), nil, test.opts...); err == nil || len(at) != test.tries {
				t.Errorf("%s: %d tries, %v", name, len(at), err)
			}
		})
	}
	for name, o := range map[string]client.CallOption{
		"Within": client.Within(0), "PerTry": client.PerTry(-1), "Tries": client.Tries(11), "header": client.CallHeader("a:", ""),
	} {
		var at []time.Duration
		c := bubble(t, replies(&at, reply(204, "")))
		if _, err := call(t, c, op("GET", "/", noContent), nil, o); err == nil || !strings.Contains(err.Error(), name) || len(at) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// An attempt's timeout is retried, within the total of the call.
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c := bubble(t, func(r *http.Request) (*http.Response, error) {
			tries++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		start := time.Now()
		_, err := call(t, c, op("GET", "/", noContent), nil, client.PerTry(time.Second), client.Within(2500*time.Millisecond))
		f := faultOf(t, err)
		if tries != 3 || f.Kind != fault.Timeout || !errors.Is(err, fault.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 2500*time.Millisecond {
			t.Errorf("%d tries, %v after %v", tries, err, time.Since(start))
		}
	})
}

// The deadline that is sent is that of the try, less the reserve.
func TestDeadlineHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		c := bubble(t, func(r *http.Request) (*http.Response, error) {
			got = append(got, r.Header.Get("X-Request-Deadline-Ms"))
			return reply(503, "")()
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, _ = client.Do(ctx, c, op("GET", "/", noContent), new(encoder), nil)
		if fmt.Sprint(got) != "[4980 4970 4950]" { // less waits of 10 and 20 ms
			t.Errorf("%v", got)
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		c := bubble(t, replies(&at, reply(500, "")))
		read := op("GET", "/a", noContent, func(s *policy.Spec) {
			s.ID = "readA"
			s.Client.Retry = nil
			s.Client.Breaker = &policy.Breaker{Scope: policy.ScopeOperation, Window: policy.Window{Count: 10}, FailureThreshold: 3, Recovery: 15 * time.Second, Probes: 1}
		})
		write := op("POST", "/a", noContent, func(s *policy.Spec) { s.ID, s.Client.Breaker, s.Client.Retry = "writeA", nil, nil })
		for range 3 {
			_, _ = call(t, c, read, nil)
		}
		start, n := time.Now(), len(at)
		_, err := call(t, c, read, nil)
		f := faultOf(t, err)
		if !errors.Is(err, fault.ErrBreakerOpen) || len(at) != n || f.RetryAt.Sub(start) < 15*time.Second || f.Attempts != 0 || f.Effect != fault.Safe {
			t.Errorf("%v, %+v", err, f)
		}
		if _, err = call(t, c, write, nil); faultOf(t, err).Status != 500 {
			t.Errorf("the other operation: %v", err)
		}
		if list := c.Breakers(); len(list) != 1 || list[0].State != observe.Open {
			t.Errorf("%v", list)
		}
	})
}

// Rules see the body of every response, successes included.
func TestRulesOnBodies(t *testing.T) {
	rules := func(s *policy.Spec) {
		r := *s.Client.Retry
		r.Rules = []policy.RetryRule{
			{Name: "busy", Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"overloaded*"}}}, Do: policy.DoRetry},
			{Name: "fine", Statuses: policy.StatusSet(409), Do: policy.DoSuccess},
			{Name: "over", Body: []policy.BodyMatch{{Pointer: "/error/code", Any: []string{"final"}}}, Do: policy.DoStop},
		}
		s.Client.Retry = &r
	}
	decode := func(r *client.Response) (string, error) {
		switch {
		case r.Is(200, "application/json"):
			var b Booking
			err := r.JSON(&b)
			return b.ID, err
		case r.Is(409, "application/json"):
			return "conflict", nil
		}
		return "", r.Undeclared()
	}
	contentType := []string{"Content-Type", content.TypeJSON}
	for name, test := range map[string]struct {
		answers []func() (*http.Response, error)
		want    string
		tries   int
		err     string
	}{
		"retried 200": {[]func() (*http.Response, error){
			reply(200, `{"error":{"code":"overloaded_now"}}`, contentType...), reply(200, `{"id":"1"}`, contentType...),
		}, "1", 2, ""},
		"success 409":  {[]func() (*http.Response, error){reply(409, `{}`, contentType...)}, "conflict", 1, ""},
		"stopped 200":  {[]func() (*http.Response, error){reply(200, `{"id":"1","error":{"code":"final"}}`, contentType...)}, "", 1, "a rule of the policy"},
		"plain 200":    {[]func() (*http.Response, error){reply(200, `{"id":"1"}`, contentType...)}, "1", 1, ""},
		"no such rule": {[]func() (*http.Response, error){reply(200, `{}`, contentType...)}, "", 1, "must have an id"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Duration
			c := bubble(t, replies(&at, test.answers...))
			got, err := call(t, c, op("GET", "/", decode, rules), nil)
			if got != test.want || len(at) != test.tries || (test.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %q, %d tries, %v", name, got, len(at), err)
			}
		})
	}
}

// A body that breaks off is a fault of the transport, and retried.
func TestBrokenJSONIsRetried(t *testing.T) {
	n := 0
	c := core(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n > 1 {
			answer(200, "application/json", "1")(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "123")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	if got, err := call(t, c, op("GET", "/", okJSON), nil); err != nil || fmt.Sprint(got) != "1" || n != 2 {
		t.Errorf("%v, %v, %d tries", got, err, n)
	}
}

func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		var at []time.Duration
		note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
		c := bubble(t, replies(&at, reply(503, ""), func() (*http.Response, error) { return nil, io.EOF }, reply(204, "")),
			client.BeforeAttempt(func(r *http.Request) error {
				r.Header.Add("X-Sign", "s")
				note("before %s %v", r.Header.Get("X-Request-Attempt"), r.Header["X-Sign"])
				return nil
			}),
			client.AfterAttempt(func(_ *http.Request, h *http.Response, err error) { note("after %v %v", h != nil, err) }),
			client.Observe(&observe.Hooks{
				Wait:    func(_ context.Context, w observe.Wait) { note("wait %v", w.For) },
				CallEnd: func(_ context.Context, e observe.CallEnd) { note("end %d %v", e.Attempts, e.Err) },
			}))
		if _, err := call(t, c, op("GET", "/", noContent), nil); err != nil {
			t.Fatal(err)
		}
		want := "before 1 [s];after true <nil>;wait 10ms;before 2 [s];after false EOF;wait 20ms;before 3 [s];after true <nil>;end 3 <nil>"
		if got := strings.Join(log, ";"); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	refuse := errors.New("no signature")
	var at []time.Duration
	c := bubble(t, replies(&at, reply(204, "")), client.BeforeAttempt(func(*http.Request) error { return refuse }))
	_, err := call(t, c, op("GET", "/", noContent), nil)
	if f := faultOf(t, err); !errors.Is(err, refuse) || f.Kind != fault.Request || len(at) != 0 || f.Effect != fault.Safe {
		t.Errorf("%v", err)
	}
}

// The clock of a streamed upload starts at its last byte; its silence is bounded.
func TestUploadTimes(t *testing.T) {
	slow := func(pieces int, wait time.Duration) *io.PipeReader {
		in, out := io.Pipe()
		go func() {
			for range pieces {
				time.Sleep(wait)
				_, _ = out.Write([]byte("x"))
			}
			_ = out.Close()
		}()
		return in
	}
	for name, test := range map[string]struct {
		pieces int
		pause  time.Duration
		answer time.Duration // after the last byte
		want   error
		took   time.Duration
	}{
		"long upload":   {10, 20 * time.Second, 9 * time.Second, nil, 209 * time.Second},
		"long answer":   {10, 20 * time.Second, 11 * time.Second, fault.ErrTimeout, 210 * time.Second},
		"silent upload": {2, 31 * time.Second, 0, client.ErrIdle, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := bubble(t, func(r *http.Request) (*http.Response, error) {
				read := make(chan error, 1)
				go func() { _, err := io.Copy(io.Discard, r.Body); read <- err }()
				select {
				case <-read:
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
				select {
				case <-time.After(test.answer):
					return reply(204, "")()
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			})
			start := time.Now()
			in := slow(test.pieces, test.pause)
			_, err := call(t, c, op("PUT", "/", noContent), func(r *client.Request) {
				r.Path("/")
				r.Binary("image/png", in)
			})
			if !errors.Is(err, test.want) || time.Since(start) != test.took {
				t.Errorf("%s: %v after %v", name, err, time.Since(start))
			}
			_ = in.Close()
			time.Sleep(time.Hour) // let the goroutines of the source end
		})
	}
}
