package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// A generated client in use: the typed result, the document's own errors, and
// what is known about a failure.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/bookings/1" {
			fmt.Fprint(w, `{"id":"1","note":"window seat"}`)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"title":"no such booking"}`)
	}))
	defer server.Close()

	trains, err := New(client.BaseURL(server.URL), client.APIKey(SchemeKey, "secret"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()

	var meta client.Meta
	booking, err := trains.GetBooking(ctx, GetBookingRequest{ID: "1"}, client.Within(2*time.Second), client.Into(&meta))
	fmt.Println(booking.Note.Or("none"), err, meta.Status, meta.Tries)

	_, err = trains.GetBooking(ctx, GetBookingRequest{ID: "2"})
	if notFound, ok := errors.AsType[*NotFound](err); ok {
		fmt.Println(notFound.Body.Title)
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Println(f.Op, f.Kind, f.Status, f.Effect)
	}
	// Output:
	// window seat <nil> 200 1
	// no such booking
	// getBooking status 404 safe
}
