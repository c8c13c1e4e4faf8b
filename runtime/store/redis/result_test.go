package redisstore

import (
	"reflect"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/store"
	"pgregory.net/rapid"
)

func TestResultsComeBack(t *testing.T) {
	anyText := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		want := store.Result{Status: rapid.IntRange(200, 299).Draw(t, "status")}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			f := store.HeaderField{Name: anyText.Draw(t, "name")}
			for range rapid.IntRange(0, 3).Draw(t, "values") {
				f.Values = append(f.Values, anyText.Draw(t, "value"))
			}
			want.Header = append(want.Header, f)
		}
		if body := rapid.SliceOf(rapid.Byte()).Draw(t, "body"); len(body) > 0 {
			want.Body = body
		}
		got, err := readResult(writeResult(want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
	})
}

func FuzzReadResult(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 200, 1, 255, 255, 255, 255, 7})
	f.Add(writeResult(store.Result{Status: 200, Header: []store.HeaderField{{Name: "A", Values: []string{"1", ""}}}, Body: []byte("x")}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := readResult(b)
		if err != nil {
			return
		}
		again, err := readResult(writeResult(r))
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%+v came back as %+v, %v", r, again, err)
		}
	})
}
