package json_test

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// benchText is an order of 15 members and about 1.1 KB.
var benchText = []byte(`{"id":"ord_01HZX3V5K8Q9W2E4R6T8Y0U1I3","customer":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","status":"open",` +
	`"created":"2024-05-14T02:43:39.7551Z","total":1319.99,"currency":"EUR","paid":false,"version":9007199254740993,` +
	`"note":"` + strings.Repeat("please ring twice, ", 20) + `","coupon":"SPRING-2024","email":"someone@example.test",` +
	`"due":"2024-06-29","priority":3,"lines":[{"sku":"SKU-0000001","qty":1},{"sku":"SKU-0000002","qty":2},` +
	`{"sku":"SKU-0000003","qty":3},{"sku":"SKU-0000004","qty":4}],"labels":{"region":"eu-west-1","channel":"` +
	strings.Repeat("web", 50) + `"}}`)

// TestAllocations: the copy of the input, the slice and the map are what is left.
func TestAllocations(t *testing.T) {
	var v order
	if n := testing.AllocsPerRun(100, func() {
		v = order{}
		if err := json.UnmarshalMode(benchText, &v, json.Mode{Strict: true}); err != nil {
			t.Fatal(err)
		}
	}); n > 6 && !raceDetector {
		t.Errorf("decoding: %v allocations", n)
	}
	v.Labels = nil
	buf := make([]byte, 0, 2*len(benchText))
	if n := testing.AllocsPerRun(100, func() {
		if _, err := json.Append(buf, &v, json.Mode{}); err != nil {
			t.Fatal(err)
		}
	}); n > 1 && !raceDetector {
		t.Errorf("encoding: %v allocations", n)
	}
	// Composing in place costs nothing where it is one level.
	var list []line
	text := []byte(`[{"sku":"a","qty":1},{"sku":"b","qty":2}]`)
	d := new(json.Decoder)
	if n := testing.AllocsPerRun(100, func() {
		d.Start(text, json.Mode{})
		json.DecodeSlice(d, &list, json.Of[line]())
	}); n > 2 && !raceDetector {
		t.Errorf("a slice: %v allocations", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	b.SetBytes(int64(len(benchText)))
	b.ReportAllocs()
	for b.Loop() {
		var v order
		if err := json.Unmarshal(benchText, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeStrict(b *testing.B) {
	b.SetBytes(int64(len(benchText)))
	b.ReportAllocs()
	for b.Loop() {
		var v order
		if err := json.UnmarshalMode(benchText, &v, json.Mode{Strict: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	var v order
	if err := json.Unmarshal(benchText, &v); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(benchText)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(&v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStandard is encoding/json on the same text, into any: for scale.
func BenchmarkStandard(b *testing.B) {
	b.SetBytes(int64(len(benchText)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := stdjson.Unmarshal(benchText, &v); err != nil {
			b.Fatal(err)
		}
	}
}
