package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A copy of a result is equal to it and shares nothing with it, nor do its fields with each
// other, however many there are.
func TestCloneOfResult(t *testing.T) {
	for fields := range 7 {
		for values := range 4 {
			r := Result{Status: 201, Body: []byte("body")}
			for i := range fields {
				f := HeaderField{Name: fmt.Sprint("Name-", i)}
				for k := range values {
					f.Values = append(f.Values, fmt.Sprint(i, k))
				}
				r.Header = append(r.Header, f)
			}
			copied, untouched := r.clone(), r.clone()
			if len(r.Header) > 0 && values > 0 && cmp.Diff(r, copied) != "" {
				t.Errorf("%d fields of %d values: %s", fields, values, cmp.Diff(r, copied))
			}
			for i := range copied.Header {
				_ = append(copied.Header[i].Values, "grown") // must not reach the next field
			}
			if d := cmp.Diff(copied, untouched); d != "" {
				t.Errorf("%d fields of %d values run into each other: %s", fields, values, d)
			}
			for i := range copied.Header {
				clear(copied.Header[i].Values)
			}
			clear(copied.Body)
			if d := cmp.Diff(r.clone(), untouched); d != "" {
				t.Errorf("%d fields of %d values are shared: %s", fields, values, d)
			}
		}
	}
}
