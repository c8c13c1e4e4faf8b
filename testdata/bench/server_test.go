package bench_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/holdfast-go/holdfast/testdata/bench/generated/holdfast"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/oapi"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogen"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogenotel"
)

// The services answer with what they got, or with a summary made beforehand.

type oursService struct{ summary holdfast.Summary }

func (s *oursService) CreateOrder(_ context.Context, r holdfast.CreateOrderRequest) (*holdfast.Order, error) {
	return &r.Body, nil
}

func (s *oursService) GetOrder(context.Context, holdfast.GetOrderRequest) (*holdfast.Summary, error) {
	return &s.summary, nil
}

type ogenService struct{ summary ogen.Summary }

func (s *ogenService) CreateOrder(_ context.Context, r *ogen.Order) (*ogen.Order, error) {
	return r, nil
}

func (s *ogenService) GetOrder(context.Context, ogen.GetOrderParams) (*ogen.Summary, error) {
	return &s.summary, nil
}

type ogenOtelService struct{ summary ogenotel.Summary }

func (s *ogenOtelService) CreateOrder(_ context.Context, r *ogenotel.Order) (*ogenotel.Order, error) {
	return r, nil
}

func (s *ogenOtelService) GetOrder(context.Context, ogenotel.GetOrderParams) (*ogenotel.Summary, error) {
	return &s.summary, nil
}

type oapiService struct{ summary oapi.Summary }

func (s *oapiService) CreateOrder(_ context.Context, r oapi.CreateOrderRequestObject) (oapi.CreateOrderResponseObject, error) {
	return oapi.CreateOrder201JSONResponse(*r.Body), nil
}

func (s *oapiService) GetOrder(context.Context, oapi.GetOrderRequestObject) (oapi.GetOrderResponseObject, error) {
	return oapi.GetOrder200JSONResponse(s.summary), nil
}

// side is one of those that are compared.
type side struct {
	name    string
	handler http.Handler
}

func servers(tb testing.TB) []side {
	tb.Helper()
	paid := true
	ours := &oursService{holdfast.Summary{Number: 90210473, Status: holdfast.StatusShipped, Total: 1284.37}}
	ours.summary.Paid.Set(true)
	plain, err := ogen.NewServer(&ogenService{ogen.Summary{Number: 90210473, Status: ogen.StatusShipped, Total: 1284.37, Paid: ogen.NewOptBool(true)}})
	must(tb, err)
	traced, err := ogenotel.NewServer(&ogenOtelService{ogenotel.Summary{Number: 90210473, Status: ogenotel.StatusShipped, Total: 1284.37, Paid: ogenotel.NewOptBool(true)}})
	must(tb, err)
	return []side{
		{"holdfast", holdfast.NewHandler(ours)},
		{"ogen", plain},
		{"ogen-otel", traced},
		{"oapi-codegen", oapi.Handler(oapi.NewStrictHandler(&oapiService{oapi.Summary{Number: 90210473, Status: oapi.Shipped, Total: 1284.37, Paid: &paid}}, nil))},
		{"floor", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })},
	}
}

func BenchmarkServerPOST(b *testing.B) {
	for _, s := range servers(b) {
		b.Run(s.name, func(b *testing.B) {
			target, err := url.Parse("http://orders.example/orders")
			must(b, err)
			w, body := &sink{header: make(http.Header, 8)}, &replay{}
			header := http.Header{"Content-Type": {"application/json"}}
			loop(b, func() {
				w.reset()
				body.Reset(orderText)
				r := request(http.MethodPost, target, header)
				r.Body, r.ContentLength = body, int64(len(orderText))
				s.handler.ServeHTTP(w, r)
			})
			if s.name != "floor" && (w.status != http.StatusCreated || w.size < len(orderText)) {
				b.Fatal(w.status, w.size)
			}
		})
	}
}

func BenchmarkServerGET(b *testing.B) {
	for _, s := range servers(b) {
		b.Run(s.name, func(b *testing.B) {
			target, err := url.Parse(getURL)
			must(b, err)
			w, header := &sink{header: make(http.Header, 8)}, http.Header{"Accept": {"application/json"}}
			loop(b, func() {
				w.reset()
				s.handler.ServeHTTP(w, request(http.MethodGet, target, header))
			})
			if s.name != "floor" && (w.status != http.StatusOK || w.size < len(summaryText)) {
				b.Fatal(w.status, w.size)
			}
		})
	}
}

// request makes a request anew, since handlers write into theirs.
func request(method string, target *url.URL, header http.Header) *http.Request {
	return &http.Request{
		Method: method, URL: target, Host: target.Host, Header: header, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RequestURI: target.RequestURI(), RemoteAddr: "192.0.2.1:1234",
	}
}
