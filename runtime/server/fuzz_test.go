package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/server"
)

// Nothing that a caller sends is a fault of the server's.
func FuzzServe(f *testing.F) {
	h := server.New(nil, []server.Route{
		server.Handle(&createBookingRoute, func(_ context.Context, r CreateBookingRequest) (*Booking, error) { return &r.Body, nil }),
		server.Handle(&searchRoute, func(context.Context, SearchRequest) (*Booking, error) { return &Booking{}, nil }),
		take("POST", "/u", multipartType, (*uploadRequest).decode, func(r uploadRequest) error {
			if r.main.Reader != nil {
				_, err := io.ReadAll(r.main.Reader)
				return err
			}
			return nil
		}),
		take("POST", "/i", multipartType, (*ingestRequest).decode, func(r ingestRequest) error {
			for _, file := range []io.Reader{r.b.Reader, r.a.Reader} {
				if file != nil {
					_, _ = io.ReadAll(file)
				}
			}
			return nil
		}),
	}, server.OnPanic(func(_ context.Context, _ string, v any, stack []byte) { panic(string(stack)) }))
	f.Add("POST", "/trips/1/bookings", "limit=1&tags=a,b", "application/json", `{"seats":1}`, true)
	f.Add("GET", "/search/%2F/x", "free=true&limit=%", "", "", false)
	f.Add("POST", "/u", "", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"main\"; filename=\"f\"\r\n\r\nx\r\n--b--\r\n", true)
	f.Add("POST", "/i", "", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--\r\n", false)
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string, known bool) {
		u, err := url.ParseRequestURI(path)
		if err != nil || method == "" {
			return
		}
		u.RawQuery = query
		r := &http.Request{Method: method, URL: u, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1}
		if known {
			r.ContentLength = int64(len(body))
		}
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	})
}
