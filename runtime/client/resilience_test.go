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
	files "github.com/holdfast-go/holdfast/runtime/codec/multipart"
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
