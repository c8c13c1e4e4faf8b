package server_test

import (
	"bytes"
	"iter"
	"reflect"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

func TestForm(t *testing.T) {
	type request struct {
		a     string
		n     []int64
		d     map[string]string
		extra map[string]string
	}
	var got request
	s := start(t, []server.Route{take("POST", "/f", []string{"application/x-www-form-urlencoded"}, func(r *request, s *server.Request) {
		f := s.Form(true)
		field.Get(f.Field("a", param.Form|param.Explode), param.String, &r.a)
		field.GetList(f.Field("n", param.Form|param.Explode), param.Int64, &r.n, false)
		field.GetMap(f.Field("d", param.DeepObject|param.Explode), param.String, &r.d, false)
		field.GetExtra(f, param.String, &r.extra)
	}, func(r request) error { got = r; return nil })})
	const form = "Content-Type: application/x-www-form-urlencoded"
	do(t, "POST", s.URL+"/f", "a=x+y&n=1&n=2&k=v&d%5Bp%5D=q", form).want(t, 204, "")
	if want := (request{"x y", []int64{1, 2}, map[string]string{"p": "q"}, map[string]string{"k": "v"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	p := do(t, "POST", s.URL+"/f", "n=1&n=x", form).problem(t, 400)
	if want := []fault.Violation{
		{In: "body", Pointer: "/a", Detail: "is required"},
		{In: "body", Pointer: "/n/1", Detail: "must be an integer"},
	}; !reflect.DeepEqual(p.Violations, want) {
		t.Error(p.Violations)
	}
	do(t, "POST", s.URL+"/f", "").problem(t, 400)
}

func TestStreamedItems(t *testing.T) {
	type request struct{ items iter.Seq2[int64, error] }
	var got []int64
	s := start(t, []server.Route{take("POST", "/l", []string{"application/x-ndjson"},
		func(r *request, s *server.Request) { server.ReadLines(s, json.Int64, &r.items, true) },
		func(r request) error {
			got = nil
			for n, err := range r.items {
				if err != nil {
					return err
				}
				got = append(got, n)
			}
			return nil
		})}, server.OnError(nil))
	do(t, "POST", s.URL+"/l", "1\n2\n\n3", "Content-Type: application/x-ndjson").want(t, 204, "")
	if !slices.Equal(got, []int64{1, 2, 3}) {
		t.Error(got)
	}
	do(t, "POST", s.URL+"/l", "1\n2\n\"x\"\n", "Content-Type: application/x-ndjson").problem(t, 400)
	if !slices.Equal(got, []int64{1, 2}) {
		t.Error(got)
	}
}

// multipartBody writes parts with the runtime's own writer.
func multipartBody(t *testing.T, fill func(*multipart.Body)) (string, string) {
	t.Helper()
	b := multipart.New("")
	fill(b)
	source, err := b.Source()
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.Open()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return text.String(), "Content-Type: " + b.ContentType()
}
