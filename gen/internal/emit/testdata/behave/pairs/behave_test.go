package pairs_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"example.test/out/pairs"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// service keeps what it is sent; a form it sends back.
type service struct {
	query pairs.QueryRequest
	json  pairs.JSONRequest
	reply pairs.JSONResponse
}

func (s *service) Query(_ context.Context, req pairs.QueryRequest) error { s.query = req; return nil }
func (s *service) Form(_ context.Context, req pairs.FormRequest) (*pairs.Form, error) {
	return &req.Body, nil
}
func (s *service) JSON(_ context.Context, req pairs.JSONRequest) (*pairs.JSONResponse, error) {
	s.json = req
	return &s.reply, nil
}

// start serves a service, with a client for it and the last request as it arrived.
func start(t *testing.T) (*service, *pairs.Client, *http.Request) {
	t.Helper()
	svc, last := &service{}, &http.Request{}
	h := pairs.NewHandler(svc, server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: "me"}, nil
	}))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*last = *r
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	c, err := pairs.New(client.BaseURL(s.URL), client.APIKey(pairs.SchemeK, "K"))
	if err != nil {
		t.Fatal(err)
	}
	return svc, c, last
}

// An object that takes any pair takes none that belongs to a parameter, to a member of
// another object, or to a key.
func TestPairsOfAQuery(t *testing.T) {
	svc, c, last := start(t)
	seven := int64(7)
	for query, req := range map[string]pairs.QueryRequest{
		"api_key=K":                   {},
		"limit=3&api_key=K":           {Limit: value.Some[int64](3)},
		"rest=r&api_key=K":            {Rest: map[string]string{"rest": "r"}},
		"x=1&e=f&api_key=K":           {Point: &pairs.QueryPoint{X: value.Some[int64](1)}, Rest: map[string]string{"e": "f"}},
		"side=7&e=f&api_key=K":        {Side: &pairs.QuerySide{Integer: &seven}, Rest: map[string]string{"e": "f"}},
		"w=2&e=f&api_key=K":           {Side: &pairs.QuerySide{Object: &pairs.QuerySideObject{W: 2}}, Rest: map[string]string{"e": "f"}},
		"tags=a&tags=b&e=f&api_key=K": {Tags: []string{"a", "b"}, Rest: map[string]string{"e": "f"}},
		"deep%5Ba%5D=q&e=&api_key=K":  {Deep: &pairs.QueryDeep{A: value.Some("q")}, Rest: map[string]string{"e": ""}},
	} {
		svc.query = pairs.QueryRequest{}
		if err := c.Query(t.Context(), req); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if last.URL.RawQuery != query || !reflect.DeepEqual(svc.query, req) {
			t.Errorf("sent %s, want %s; the method got %+v, want %+v", last.URL.RawQuery, query, svc.query, req)
		}
	}
}

// So it is in a form, on its way there and back.
func TestPairsOfAForm(t *testing.T) {
	_, c, _ := start(t)
	for _, form := range []pairs.Form{
		{S: "x"},
		{S: "x", L: []int64{1, 2}, Rest: map[string]int64{"a": 1, "b": 2}},
		{S: "", Rest: map[string]int64{"rest": 3}},
	} {
		got, err := c.Form(t.Context(), pairs.FormRequest{Body: form})
		if err != nil || !reflect.DeepEqual(*got, form) {
			t.Errorf("%+v, %v; want %+v", got, err, form)
		}
	}
}

// Nil is no parameter, also where the text would be JSON; an empty list is one.
func TestNilIsNoJSON(t *testing.T) {
	svc, c, last := start(t)
	for _, test := range []struct {
		query, header, cookie string
		req                   pairs.JSONRequest
	}{
		{"", "", "", pairs.JSONRequest{}},
		{"list=%5B%5D&map=%7B%7D&bytes=%22%22", "[]", "list=[]", pairs.JSONRequest{
			List: []int64{}, Map: map[string]int64{}, Bytes: []byte{}, XList: []int64{}, ListCookie: []int64{},
		}},
		{"list=%5B1%2C2%5D&map=%7B%22a%22%3A1%7D&bytes=%22eA%3D%3D%22", "[3]", "", pairs.JSONRequest{
			List: []int64{1, 2}, Map: map[string]int64{"a": 1}, Bytes: []byte("x"), XList: []int64{3},
		}},
	} {
		if _, err := c.JSON(t.Context(), test.req); err != nil {
			t.Errorf("%s: %v", test.query, err)
		}
		if q, h, k := last.URL.RawQuery, last.Header.Get("X-List"), last.Header.Get("Cookie"); q != test.query || h != test.header || k != test.cookie {
			t.Errorf("sent %q, %q, %q; want %q, %q, %q", q, h, k, test.query, test.header, test.cookie)
		}
		if !reflect.DeepEqual(svc.json, test.req) {
			t.Errorf("the method got %+v, want %+v", svc.json, test.req)
		}
	}
	for _, reply := range []pairs.JSONResponse{
		{}, {XList: []int64{}, XMap: map[string]int64{}}, {XList: []int64{1}, XMap: map[string]int64{"a": 1}},
	} {
		svc.reply = reply
		got, err := c.JSON(t.Context(), pairs.JSONRequest{})
		if err != nil || !reflect.DeepEqual(*got, reply) {
			t.Errorf("%+v, %v; want %+v", got, err, reply)
		}
	}
}
