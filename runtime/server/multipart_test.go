package server_test

import (
	"errors"
	"io"
	stdmultipart "mime/multipart"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// ingestRequest has two files and nothing else.
type ingestRequest struct{ a, b multipart.File }

func (r *ingestRequest) decode(s *server.Request) {
	f := s.Multipart(true, false, server.Part{Name: "a", File: true}, server.Part{Name: "b", File: true})
	f.File("a", &r.a, false)
	f.File("b", &r.b, false)
}

var multipartType = []string{"multipart/form-data"}

// The method has the first part while the client has not begun the second one.
func TestMultipartStreams(t *testing.T) {
	gotFirst := make(chan string)
	s := start(t, []server.Route{take("POST", "/ingest", multipartType, (*ingestRequest).decode, func(r ingestRequest) error {
		first := make([]byte, 5)
		if _, err := io.ReadFull(r.a.Reader, first); err != nil {
			return err
		}
		gotFirst <- string(first)
		rest, err := io.ReadAll(r.a.Reader)
		if err != nil || string(rest) != " more" {
			t.Error(string(rest), err)
		}
		name, contentType, ok := server.FileInfo(r.b)
		if name != "b.txt" || contentType != "application/octet-stream" || !ok {
			t.Error(name, contentType, ok)
		}
		second, err := io.ReadAll(r.b.Reader)
		if string(second) != "second" {
			t.Error(string(second))
		}
		return err
	})})
	in, out := io.Pipe()
	w := stdmultipart.NewWriter(out)
	go func() {
		part, _ := w.CreateFormFile("a", "a.txt")
		_, _ = io.WriteString(part, "first")
		if got := <-gotFirst; got != "first" {
			t.Error(got)
		}
		_, _ = io.WriteString(part, " more")
		part, _ = w.CreateFormFile("b", "b.txt")
		_, _ = io.WriteString(part, "second")
		_ = w.Close()
		_ = out.Close()
	}()
	req, _ := http.NewRequest(http.MethodPost, s.URL+"/ingest", in)
	req.Header.Set("Content-Type", w.FormDataContentType())
	send(t, req).want(t, 204, "")
}

// An answer before the end of the body comes at once.
func TestMultipartUnread(t *testing.T) {
	s := start(t, []server.Route{take("POST", "/ingest", multipartType, (*ingestRequest).decode, func(ingestRequest) error { return nil })})
	in, out := io.Pipe()
	w := stdmultipart.NewWriter(out)
	answered := make(chan struct{})
	go func() {
		part, _ := w.CreateFormFile("a", "a.txt")
		_, _ = io.WriteString(part, "first")
		<-answered
		_ = out.Close()
	}()
	req, _ := http.NewRequest(http.MethodPost, s.URL+"/ingest", in)
	req.Header.Set("Content-Type", w.FormDataContentType())
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusNoContent {
		t.Fatal(res, err)
	}
	close(answered)
	_ = res.Body.Close()
}

// uploadRequest has fields besides its files.
type uploadRequest struct {
	title string
	count value.Opt[int64]
	meta  Booking
	tags  []string
	main  multipart.File
	more  []multipart.File
}

var bookingPart = param.JSON(json.Of[Booking]())

func (r *uploadRequest) decode(s *server.Request) {
	f := s.Multipart(true, false, server.Part{Name: "title", Required: true}, server.Part{Name: "count"},
		server.Part{Name: "meta", Required: true}, server.Part{Name: "tags", Many: true},
		server.Part{Name: "main", File: true, Required: true}, server.Part{Name: "more", File: true, Many: true})
	field.Get(f.Field("title", 0), param.String, &r.title)
	field.GetOpt(f.Field("count", 0), param.Int64, &r.count)
	field.Get(f.Field("meta", 0), bookingPart, &r.meta)
	field.GetList(f.Field("tags", 0), param.String, &r.tags, false)
	f.File("main", &r.main, true)
	f.Files("more", &r.more, false)
}

func readFile(t *testing.T, f multipart.File) string {
	t.Helper()
	r := f.Reader
	if f.Open != nil {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		r = opened
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The order of small parts does not matter.
func TestMultipartFieldsInAnyOrder(t *testing.T) {
	var got uploadRequest
	s := start(t, []server.Route{take("POST", "/u", multipartType, (*uploadRequest).decode, func(r uploadRequest) error { got = r; return nil })})
	fill := map[string]func(*multipart.Body){
		"title": func(b *multipart.Body) { b.Text("title", "", "T", nil) },
		"count": func(b *multipart.Body) { b.Text("count", "", "7", nil) },
		"meta":  func(b *multipart.Body) { b.Text("meta", "application/json", `{"seats":2}`, nil) },
		"tags":  func(b *multipart.Body) { b.Text("tags", "", "a", nil); b.Text("tags", "", "b", nil) },
		"main": func(b *multipart.Body) {
			b.File("main", "image/png", multipart.FileBytes("m.png", []byte("main")), nil)
		},
		"more": func(b *multipart.Body) {
			b.File("more", "", multipart.FileBytes("1", []byte("one")), nil)
			b.File("more", "", multipart.FileBytes("2", []byte("two")), nil)
		},
		"unknown": func(b *multipart.Body) { b.Text("unknown", "", "x", nil) },
	}
	for _, order := range []string{"title count meta tags main more", "main more tags meta count title unknown", "more main title unknown meta tags count"} {
		text, header := multipartBody(t, func(b *multipart.Body) {
			for name := range strings.FieldsSeq(order) {
				fill[name](b)
			}
		})
		got = uploadRequest{}
		do(t, "POST", s.URL+"/u", text, header).want(t, 204, "")
		count, _ := got.count.Get()
		if got.title != "T" || count != 7 || got.meta.Seats != 2 || !reflect.DeepEqual(got.tags, []string{"a", "b"}) ||
			got.main.Name != "m.png" || got.main.ContentType != "image/png" || readFile(t, got.main) != "main" ||
			len(got.more) != 2 || readFile(t, got.more[1]) != "two" {
			t.Errorf("%s: %+v", order, got)
		}
	}
	text, header := multipartBody(t, func(b *multipart.Body) {
		b.Text("title", "", "a", nil)
		b.Text("title", "", "b", nil)
		b.Text("count", "", "x", nil)
		b.Text("meta", "", `{"seats":"x"}`, nil)
	})
	p := do(t, "POST", s.URL+"/u", text, header).problem(t, 400)
	var pointers []string
	for _, v := range p.Violations {
		pointers = append(pointers, v.Pointer)
	}
	if !reflect.DeepEqual(pointers, []string{"/title", "/count", "/meta/seats", "/main"}) {
		t.Error(p.Violations)
	}
	do(t, "POST", s.URL+"/u", "garbage", "Content-Type: multipart/form-data; boundary=b").problem(t, 400)
	do(t, "POST", s.URL+"/u", "garbage", "Content-Type: multipart/form-data").problem(t, 400)
	do(t, "POST", s.URL+"/u", "", "Content-Type: multipart/form-data").problem(t, 400)
}

// oneFile has a field that may come before or after its file.
type oneFile struct {
	note value.Opt[string]
	must string
	file multipart.File
}

func (r *oneFile) decode(s *server.Request) {
	f := s.Multipart(true, false, server.Part{Name: "note"}, server.Part{Name: "must", Required: true}, server.Part{Name: "file", File: true, Required: true})
	field.GetOpt(f.Field("note", 0), param.String, &r.note)
	field.Get(f.Field("must", 0), param.String, &r.must)
	f.File("file", &r.file, true)
}

// Behind a large file a field is too late, and that is not silent.
func TestMultipartLateFields(t *testing.T) {
	called := 0
	s := start(t, []server.Route{take("POST", "/u", multipartType, (*oneFile).decode, func(r oneFile) error {
		called++
		_, err := io.Copy(io.Discard, r.file.Reader)
		return err
	})}, server.OnError(nil))
	large := multipart.FileBytes("l", make([]byte, 2<<20))
	post := func(order ...string) reply {
		text, header := multipartBody(t, func(b *multipart.Body) {
			for _, name := range order {
				if name == "file" {
					b.File("file", "", large, nil)
					continue
				}
				b.Text(name, "", "x", nil)
			}
		})
		return do(t, "POST", s.URL+"/u", text, header)
	}
	post("must", "file").want(t, 204, "")
	post("must", "note", "file").want(t, 204, "")
	post("must", "file", "unknown").want(t, 204, "")
	if called != 3 {
		t.Error(called)
	}
	p := post("file", "must").problem(t, 400)
	if called != 3 || len(p.Violations) != 1 || p.Violations[0].Pointer != "/must" {
		t.Error(called, p.Violations)
	}
	p = post("must", "file", "note").problem(t, 400)
	if len(p.Violations) != 1 || p.Violations[0].Pointer != "/note" {
		t.Error(p.Violations)
	}
}

func TestMultipartMissingAndPassedOver(t *testing.T) {
	var bErr, aErr error
	decode := func(required bool) func(*ingestRequest, *server.Request) {
		return func(r *ingestRequest, s *server.Request) {
			f := s.Multipart(true, false, server.Part{Name: "a", File: true}, server.Part{Name: "b", File: true, Required: required})
			f.File("a", &r.a, false)
			f.File("b", &r.b, required)
		}
	}
	read := func(r ingestRequest) error {
		if r.b.Reader != nil {
			_, bErr = io.ReadAll(r.b.Reader)
		}
		if r.a.Reader != nil {
			_, aErr = io.ReadAll(r.a.Reader)
		}
		return errors.Join(bErr, aErr)
	}
	s := start(t, []server.Route{
		take("POST", "/opt", multipartType, decode(false), read),
		take("POST", "/req", multipartType, decode(true), read),
	}, server.OnError(nil))
	only := func(names ...string) (string, string) {
		return multipartBody(t, func(b *multipart.Body) {
			for _, name := range names {
				b.File(name, "", multipart.FileBytes(name, []byte(name)), nil)
			}
		})
	}
	text, header := only("a")
	do(t, "POST", s.URL+"/opt", text, header).want(t, 500, `{"title":"Internal Server Error","status":500}`) // a was passed over for b
	if bErr != nil || aErr == nil {
		t.Error(bErr, aErr)
	}
	text, header = only("b", "a")
	do(t, "POST", s.URL+"/opt", text, header).want(t, 204, "")
	do(t, "POST", s.URL+"/req", text, header).want(t, 204, "")
	text, header = only("a")
	if p := do(t, "POST", s.URL+"/req", text, header).problem(t, 400); len(p.Violations) != 1 || p.Violations[0].Pointer != "/b" {
		t.Error(p.Violations)
	}
	text, header = only()
	if p := do(t, "POST", s.URL+"/req", text, header).problem(t, 400); len(p.Violations) != 1 || p.Violations[0].Pointer != "/b" {
		t.Error(p.Violations)
	}
}

func TestMultipartExtra(t *testing.T) {
	type request struct{ fields map[string]string }
	var got map[string]string
	s := start(t, []server.Route{take("POST", "/x", multipartType, func(r *request, s *server.Request) {
		f := s.Multipart(true, true)
		field.GetExtra(f, param.String, &r.fields)
	}, func(r request) error { got = r.fields; return nil })})
	text, header := multipartBody(t, func(b *multipart.Body) { b.Text("a", "", "1", nil); b.Text("b", "", "2", nil) })
	do(t, "POST", s.URL+"/x", text, header).want(t, 204, "")
	if !reflect.DeepEqual(got, map[string]string{"a": "1", "b": "2"}) {
		t.Error(got)
	}
}

// Over the limit is 413, wherever it shows, and no file is left behind.
func TestMultipartLimits(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var readErr error
	s := start(t, []server.Route{
		take("POST", "/one", multipartType, (*oneFile).decode, func(r oneFile) error { return nil }),
		take("POST", "/two", multipartType, (*ingestRequest).decode, func(r ingestRequest) error {
			_, readErr = io.Copy(io.Discard, r.a.Reader)
			return readErr
		}),
	}, server.BodyLimit(1000), server.OnError(nil))
	large := multipart.FileBytes("l", make([]byte, 2000))
	text, header := multipartBody(t, func(b *multipart.Body) { b.File("a", "", large, nil) })
	do(t, "POST", s.URL+"/two", text, header).problem(t, 413)
	req, _ := http.NewRequest(http.MethodPost, s.URL+"/two", io.MultiReader(strings.NewReader(text))) // of unknown length
	req.Header.Set("Content-Type", strings.TrimPrefix(header, "Content-Type: "))
	send(t, req).problem(t, 413)
	if _, ok := errors.AsType[*http.MaxBytesError](readErr); !ok {
		t.Error(readErr)
	}
	text, _ = multipartBody(t, func(b *multipart.Body) { b.Text("must", "", strings.Repeat("x", 2000), nil) })
	do(t, "POST", s.URL+"/one", text, header).problem(t, 413)
	if entries, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(entries) != 0 {
		t.Error(entries, err)
	}
}

// zeros is a body of any size.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), z.left))
	clear(p[:n])
	z.left -= int64(n)
	return n, nil
}

// A large upload and download take no memory.
func TestLargeBodies(t *testing.T) {
	const size = 1 << 26
	type request struct{ body io.Reader }
	var got int64
	s := start(t, []server.Route{
		take("PUT", "/blob", []string{"application/octet-stream"}, func(r *request, s *server.Request) { s.Binary(&r.body, true) },
			func(r request) (err error) { got, err = io.Copy(io.Discard, r.body); return err }),
		write("/blob", func(w *server.Response) {
			w.Stream(200, "application/octet-stream", server.Body{Reader: &zeros{size}, Length: size})
		}),
		take("POST", "/form", multipartType, (*ingestRequest).decode, func(r ingestRequest) (err error) {
			got, err = io.Copy(io.Discard, r.a.Reader)
			return err
		}),
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	req, _ := http.NewRequest(http.MethodPut, s.URL+"/blob", &zeros{size})
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/octet-stream")
	send(t, req).want(t, 204, "")
	if got != size {
		t.Error(got)
	}
	res, err := http.Get(s.URL + "/blob")
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if n != size || err != nil || res.ContentLength != size {
		t.Error(n, err, res.ContentLength)
	}
	b := multipart.New("")
	b.File("a", "", multipart.File{Name: "big", Size: size, Reader: &zeros{size}}, nil)
	source, err := b.Source()
	if err != nil {
		t.Fatal(err)
	}
	body, _ := source.Open()
	req, _ = http.NewRequest(http.MethodPost, s.URL+"/form", body)
	req.Header.Set("Content-Type", b.ContentType())
	got = 0
	send(t, req).want(t, 204, "")
	if got != size {
		t.Error(got)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes allocated", grown)
	}
}
