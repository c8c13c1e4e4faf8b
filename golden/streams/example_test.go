package streams_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/holdfast-go/holdfast/golden/streams"
	"github.com/holdfast-go/holdfast/runtime/client"
)

// A model is overloaded before its first piece, so that it is asked again; what it says to
// be wrong after one is for the caller to see.
func ExampleClient_Complete() {
	asked := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if asked++; asked == 1 {
			_, _ = io.WriteString(w, "event: error\ndata: {\"error\": {\"code\": \"overloaded\"}}\n\n")
			return
		}
		_, _ = io.WriteString(w, "data: {\"text\": \"Once upon\"}\n\ndata: {\"text\": \" a time\"}\n\n")
		_, _ = io.WriteString(w, "event: error\ndata: {\"error\": {\"code\": \"too_long\"}}\n\n")
	}))
	defer model.Close()
	c, err := streams.New(client.BaseURL(model.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Core().Close()
	story, err := c.Complete(context.Background(), streams.CompleteRequest{Body: streams.Prompt{Text: "Tell me a story."}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for piece, err := range story.All() {
		if told, is := errors.AsType[*client.StreamError](err); is {
			fmt.Printf("\n%s after %d requests", told.Code, asked)
			break
		}
		fmt.Print(piece.Text.Or(""))
	}
	// Output:
	// Once upon a time
	// too_long after 2 requests
}

// A feed goes on after its last event when its connection breaks.
func ExampleClient_WatchOrders() {
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Header.Get("Last-Event-ID") == "1" {
			_, _ = io.WriteString(w, "id: 2\ndata: {\"number\": 17, \"state\": \"paid\"}\n\n")
			return
		}
		_, _ = io.WriteString(w, "id: 1\ndata: {\"number\": 17, \"state\": \"open\"}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer feed.Close()
	c, err := streams.New(client.BaseURL(feed.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Core().Close()
	orders, err := c.WatchOrders(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for order, err := range orders.All() {
		fmt.Println(order.Number, order.State, err)
	}
	// Output:
	// 17 open <nil>
	// 17 paid <nil>
}
