package bench_test

import (
	"bufio"
	"bytes"
	_ "embed"
	stdjson "encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/go-faster/jx"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/holdfast"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/oapi"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogen"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogenotel"
)

// orderText is the order that every benchmark of a body reads, writes or sends.
//
//go:embed order.json
var orderText []byte

// summaryText answers the GET.
var summaryText = []byte(`{"number":90210473,"status":"shipped","total":1284.37,"paid":true}`)

const getURL = "http://orders.example/shops/colmar/orders/90210473?currency=EUR&lines=20&history=true&fields=number,status,total"

// sink is a ResponseWriter that costs nothing but its header.
type sink struct {
	header http.Header
	status int
	size   int
}

func (s *sink) Header() http.Header { return s.header }

func (s *sink) Write(p []byte) (int, error) {
	s.size += len(p)
	return len(p), nil
}

func (s *sink) WriteHeader(status int) { s.status = status }

// What the writer of net/http can do for HTTP/1 beyond that. Our server looks for it.

func (s *sink) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }
func (s *sink) FlushError() error                            { return nil }
func (s *sink) SetReadDeadline(time.Time) error              { return nil }
func (s *sink) SetWriteDeadline(time.Time) error             { return nil }
func (s *sink) EnableFullDuplex() error                      { return nil }

func (s *sink) reset() {
	clear(s.header)
	s.status, s.size = http.StatusOK, 0
}

// replay is a request's body that can be read again.
type replay struct{ bytes.Reader }

func (*replay) Close() error { return nil }

// wire is a transport that reads the request and answers at once.
type wire struct {
	status int
	body   []byte
}

var jsonHeader = http.Header{"Content-Type": {"application/json"}}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		StatusCode: w.status, Header: jsonHeader, Request: r,
		Body: io.NopCloser(bytes.NewReader(w.body)), ContentLength: int64(len(w.body)),
	}, nil
}

func oursOrder(tb testing.TB) (v holdfast.Order) {
	tb.Helper()
	must(tb, json.Unmarshal(orderText, &v))
	return v
}

func ogenOrder(tb testing.TB) (v ogen.Order) {
	tb.Helper()
	must(tb, v.Decode(jx.DecodeBytes(orderText)))
	return v
}

func ogenOtelOrder(tb testing.TB) (v ogenotel.Order) {
	tb.Helper()
	must(tb, v.Decode(jx.DecodeBytes(orderText)))
	return v
}

func oapiOrder(tb testing.TB) (v oapi.Order) {
	tb.Helper()
	must(tb, stdjson.Unmarshal(orderText, &v))
	return v
}

// must is in the loops, so it calls nothing where all is well.
func must(tb testing.TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}
