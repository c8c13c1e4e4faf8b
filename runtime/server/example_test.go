package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/server"
)

// Generated code describes its operations; a service brings the methods.
func Example() {
	handler := server.New(&server.API{Title: "Trains"}, []server.Route{
		server.Handle(&createBookingRoute, func(_ context.Context, r CreateBookingRequest) (*Booking, error) {
			if r.TripID != "7" {
				return nil, &NotFound{Body: Problem{Title: "no such trip"}}
			}
			return &Booking{ID: "b1", Seats: r.Body.Seats}, nil
		}),
	})
	post := func(path, body string) {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		text, _ := io.ReadAll(w.Body)
		fmt.Println(w.Code, string(text))
	}
	post("/trips/7/bookings", `{"seats":2}`)
	post("/trips/8/bookings", `{"seats":2}`)
	post("/trips/7/bookings", `{"seats":0}`)
	// Output:
	// 201 {"id":"b1","seats":2}
	// 404 {"title":"no such trip"}
	// 400 {"title":"Bad Request","status":400,"detail":"/seats: must be at least 1","violations":[{"pointer":"/seats","in":"body","detail":"must be at least 1"}]}
}
