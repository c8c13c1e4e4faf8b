package faulty

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// Fault is what happens to one request. Next is the service.
type Fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// Plan is the fault of the request with the number n, counted from 1 in the order
// of arrival. A nil Plan, and a nil Fault, let the service answer.
type Plan func(n int) Fault

// First gives the first requests one fault each; the ones after that get through.
func First(faults ...Fault) Plan {
	return func(n int) Fault {
		if n > len(faults) {
			return nil
		}
		return faults[n-1]
	}
}

// Every gives all requests the same fault.
func Every(f Fault) Plan { return func(int) Fault { return f } }

// Answer answers in place of the service, with problem details and with headers
// given as names and values in turn.
func Answer(status int, headers ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		// Whoever has gone needs no answer.
		_, _ = w.Write([]byte(`{"title":"` + http.StatusText(status) + `","status":` + strconv.Itoa(status) + `,"detail":"in between"}`))
	}
}

// Reset breaks the connection when the request has arrived and before the service
// knows of it. Over TCP the client sees a reset, over pipes an end.
func Reset(w http.ResponseWriter, _ *http.Request, _ http.Handler) { cut(w) }

// Lost lets the service do its work, throws its answer away and breaks the
// connection.
func Lost(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	cut(w)
}

// Hang answers nothing until the client has gone.
func Hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler) // net/http would answer 200
}

// Late is the service after a delay.
func Late(d time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		time.Sleep(d)
		next.ServeHTTP(w, r)
	}
}

// cut ends a connection without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0) // a reset instead of an orderly end; without it the end is as good
	}
	_ = conn.Close() // it is broken on purpose
}
