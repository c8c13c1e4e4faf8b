package multipart

import (
	"errors"
	"strings"
	"testing"
)

func formOf(body string, opt FormOptions) (*Form, error) {
	r, err := NewReader(strings.NewReader(body), "multipart/form-data; boundary=b", Limits{})
	if err != nil {
		return nil, err
	}
	return ReadForm(r, opt)
}

// A body that ends anywhere before its last boundary is not taken for a shorter one
// (RFC 2046, section 5.1.1: the last boundary is not optional).
func TestCutOff(t *testing.T) {
	const whole = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=c\r\n\r\n2\r\n--b--"
	opt := FormOptions{Declared: []Declared{{Name: "a"}, {Name: "c"}}, Memory: 1000}
	for n := range len(whole) {
		if _, err := formOf(whole[:n], opt); err == nil {
			t.Errorf("%q is taken for whole", whole[:n])
		}
	}
	for _, end := range []string{"", "\r\n", "\r\nepilogue", "\r\n--b\r\n"} {
		if f, err := formOf(whole+end, opt); err != nil || len(f.Texts("c")) != 1 {
			t.Errorf("%q: %v", whole+end, err)
		}
	}
}

// The names of parts count against the memory that may be kept.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", 600)
	for _, name := range []string{"name=" + long, "name=f; filename=" + long} {
		part := "--b\r\nContent-Disposition: form-data; " + name + "\r\n\r\n\r\n"
		opt := FormOptions{Declared: []Declared{{Name: "f", File: true, Many: true}}, Extra: true, Memory: 1000}
		if _, err := formOf(part+"--b--", opt); err != nil {
			t.Errorf("one part: %v", err)
		}
		if _, err := formOf(part+part+"--b--", opt); !errors.Is(err, ErrTooLarge) {
			t.Errorf("two parts: %v", err)
		}
	}
}
