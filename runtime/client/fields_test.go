package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// fields has a field of each kind that a form can have.
type fields struct {
	Must    int64
	Opt     value.Opt[string]
	Default int64
	Ptr     *bool
	Null    value.Null[int64]
	OptNull value.OptNull[int64]
	List    []int64
	Extra   map[string]string
}

func readInto(f *client.Fields, v *fields) {
	v.Default = 9
	field.Get(f.Field("must", param.Form), param.Int64, &v.Must)
	field.GetOpt(f.Field("opt", param.Form), param.String, &v.Opt)
	field.GetDefault(f.Field("default", param.Form), param.Int64, &v.Default)
	field.GetPtr(f.Field("ptr", param.Form), param.Bool, &v.Ptr)
	field.GetNull(f.Field("null", param.Form), param.Int64, &v.Null)
	field.GetOptNull(f.Field("optNull", param.Form), param.Int64, &v.OptNull)
	field.GetList(f.Field("list", param.Form|param.Explode), param.Int64, &v.List, false)
	field.GetExtra(f, param.String, &v.Extra)
}

func readForm(r *client.Response, v *fields) error {
	f := r.Form()
	readInto(f, v)
	return client.Finish(f, v, func(v *fields, c *check.Checker) {
		if v.Must > 100 {
			c.Add("maximum", "must be at most 100")
		}
	})
}

func readParts(r *client.Response, v *fields) error {
	f := r.Multipart(true, true)
	readInto(f, v)
	return client.Finish(f, v)
}

func formOf(r *client.Response) (*fields, error)  { return client.DecodeNewFields(r, readForm) }
func partsOf(r *client.Response) (*fields, error) { return client.DecodeNewFields(r, readParts) }

// formPart is one part as it is written.
func formPart(name, text string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + text + "\r\n"
}

// A form and a body of parts say the same.
func TestFieldsOfResponses(t *testing.T) {
	yes := true
	want := fields{
		Must: 1, Opt: value.Some("a b"), Default: 9, Ptr: &yes, Null: value.NotNull[int64](2), OptNull: value.Present[int64](3),
		List: []int64{4, 5}, Extra: map[string]string{"more": "x"},
	}
	var parts strings.Builder
	for _, p := range [][2]string{{"must", "1"}, {"opt", "a b"}, {"ptr", "true"}, {"null", "2"}, {"optNull", "3"}, {"list", "4"}, {"list", "5"}, {"more", "x"}} {
		parts.WriteString(formPart(p[0], p[1]))
	}
	for media, body := range map[string]string{
		"application/x-www-form-urlencoded": "must=1&opt=a+b&ptr=true&null=2&optNull=3&list=4&list=5&more=x",
		"multipart/form-data; boundary=b":   parts.String() + "--b--",
	} {
		decode := formOf
		if strings.HasPrefix(media, "multipart") {
			decode = partsOf
		}
		got, err := call(t, core(t, answer(200, media, body)), op("GET", "/form", decode), nil)
		if err != nil {
			t.Errorf("%s: %v", media, err)
			continue
		}
		if diff := cmp.Diff(&want, got, cmp.AllowUnexported(value.Opt[string]{}, value.Null[int64]{}, value.OptNull[int64]{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", media, diff)
		}
	}
}

// All that is wrong is told at once, with its place.
func TestFieldsThatAreWrong(t *testing.T) {
	for media, c := range map[string]struct {
		body   string
		decode func(*client.Response) (*fields, error)
	}{
		"application/x-www-form-urlencoded": {"null=x&list=1&list=y", formOf},
		"multipart/form-data; boundary=b":   {formPart("null", "x") + formPart("list", "1") + formPart("list", "y") + "--b--", partsOf},
	} {
		_, err := call(t, core(t, answer(200, media, c.body)), op("GET", "/form", c.decode), nil)
		list, ok := errors.AsType[*check.Error](err)
		if !ok {
			t.Errorf("%s: %v", media, err)
			continue
		}
		var places []string
		for _, v := range list.Violations {
			places = append(places, v.Pointer)
		}
		if !cmp.Equal(places, []string{"/must", "/null", "/list/1"}) {
			t.Errorf("%s: %v", media, list)
		}
	}
	// Rules are for strict clients.
	if _, err := call(t, core(t, answer(200, "application/x-www-form-urlencoded", "must=101")), op("GET", "/form", formOf), nil); err != nil {
		t.Error(err)
	}
	if _, err := call(t, core(t, answer(200, "application/x-www-form-urlencoded", "must=101"), client.Strict()), op("GET", "/form", formOf), nil); err == nil {
		t.Error("a strict client takes anything")
	}
	if _, err := call(t, core(t, answer(200, "text/plain", "x")), op("GET", "/form", partsOf), nil); !errors.Is(err, multipart.ErrNotMultipart) {
		t.Errorf("text as parts: %v", err)
	}
}

// withFile is a body with a file that is handed over open.
type withFile struct {
	Title string
	File  multipart.File
	body  *client.Body
}

func decodeFile(r *client.Response) (*withFile, error) {
	v := new(withFile)
	f := r.Multipart(false, false, multipart.Declared{Name: "title", Required: true}, multipart.Declared{Name: "file", File: true, Required: true})
	field.Get(f.Field("title", param.Form), param.String, &v.Title)
	f.File("file", &v.File, true)
	v.body = f.Body()
	return v, client.Finish(f, v)
}

const filePart = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"

// A body that breaks off before anything was handed over is tried again; one whose
// fields are wrong is not, and gives its connection back.
func TestBrokenPartsAreRetried(t *testing.T) {
	var tries atomic.Int32
	c := core(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "multipart/mixed; boundary=b")
		_, _ = io.WriteString(w, formPart("title", "a")[:40])
		if tries.Add(1) == 1 {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, formPart("title", "a")[40:]+filePart+"text\r\n--b--\r\n")
	})
	o := op("GET", "/parts", decodeFile)
	o.Spec.Client.Retry = &policy.Retry{MaxAttempts: 2, Errors: policy.AllErrors}
	v, err := call(t, c, o, nil)
	if err != nil || tries.Load() != 2 || v.Title != "a" {
		t.Fatalf("%+v, %v after %d tries", v, err, tries.Load())
	}
	text, err := io.ReadAll(v.File.Reader)
	if string(text) != "text" || errors.Join(err, v.body.Close()) != nil {
		t.Errorf("%q, %v", text, err)
	}

	_, err = call(t, core(t, answer(200, "multipart/mixed; boundary=b", filePart+strings.Repeat("x", 2<<20)+"\r\n--b--\r\n")), op("GET", "/parts", decodeFile), nil)
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.Response || f.Attempts != 1 || !strings.Contains(err.Error(), "/title: ") {
		t.Errorf("a title behind a large file: %v", err)
	}
}
