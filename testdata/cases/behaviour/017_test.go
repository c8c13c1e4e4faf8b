package api_test

import (
	"context"
	"testing"

	api "cases/c017"
	"cases/kit"
)

type service struct{ called *[]string }

func (s service) note(name string) error { *s.called = append(*s.called, name); return nil }

func (s service) GetBooks(context.Context) error  { return s.note("GetBooks") }
func (s service) PostBooks(context.Context) error { return s.note("PostBooks") }
func (s service) GetBooksByBookID(_ context.Context, r api.GetBooksByBookIDRequest) error {
	return s.note("GetBooksByBookID " + r.BookID)
}
func (s service) GetBooksByBookIDPages(_ context.Context, r api.GetBooksByBookIDPagesRequest) error {
	return s.note("GetBooksByBookIDPages " + r.BookID)
}

func TestNames(t *testing.T) {
	want := []string{"GetBooks", "PostBooks", "GetBooksByBookID", "GetBooksByBookIDPages"}
	kit.Same(t, "methods of Service", kit.Parse(t).Methods("Service"), want)
}

func TestEachOperation(t *testing.T) {
	var called []string
	url := kit.Serve(t, api.NewHandler(service{&called}))
	sent := kit.Record(t, kit.Reply{Status: 200}, kit.Reply{Status: 201}, kit.Reply{Status: 200})
	for _, url := range []string{url, sent.URL} {
		c := kit.Client(t, api.New, url)
		kit.OK(t, c.GetBooks(t.Context()))
		kit.OK(t, c.PostBooks(t.Context()))
		kit.OK(t, c.GetBooksByBookID(t.Context(), api.GetBooksByBookIDRequest{BookID: "a b"}))
		kit.OK(t, c.GetBooksByBookIDPages(t.Context(), api.GetBooksByBookIDPagesRequest{BookID: "7"}))
	}
	kit.Same(t, "called", called, []string{"GetBooks", "PostBooks", "GetBooksByBookID a b", "GetBooksByBookIDPages 7"})
	var lines []string
	for _, r := range sent.Requests() {
		lines = append(lines, r.Method+" "+r.Target)
	}
	kit.Same(t, "requests", lines, []string{"GET /books", "POST /books", "GET /books/a%20b", "GET /books/7/pages"})
	kit.Same(t, "status of GET", kit.Send(t, "GET", url+"/books", "").Status, 200)
	kit.Same(t, "status of POST", kit.Send(t, "POST", url+"/books", "").Status, 201)
}
