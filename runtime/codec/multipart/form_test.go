package multipart_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// heads are typed headers of a part.
type heads struct {
	N    int64
	Tags []string
	Note value.Opt[string]
	Ptr  *bool
	Any  []byte
}

func (h *heads) encode(p *multipart.Parts) {
	p.Header("X-N", param.Simple, param.Int64.Format(h.N))
	p.Header("X-Tags", param.Simple, param.List(param.String, h.Tags))
	p.Header("X-Note", param.Simple, param.Opt(param.String, h.Note))
	p.Header("X-Ptr", param.Simple, param.Ptr(param.Bool, h.Ptr))
}

func (h *heads) decode(p *multipart.Head) {
	field.Get(p.Header("X-N", param.Simple), param.Int64, &h.N)
	field.GetList(p.Header("X-Tags", param.Simple), param.String, &h.Tags, false)
	field.GetOpt(p.Header("X-Note", param.Simple), param.String, &h.Note)
	field.GetPtr(p.Header("X-Ptr", param.Simple), param.Bool, &h.Ptr)
	field.GetDefault(p.Header("X-Any", param.Simple), param.Bytes, &h.Any)
}

// noted is a form that keeps what is wrong with its headers.
type noted struct {
	*multipart.Form

	wrong []check.Violation
}

func (n *noted) Note(v ...check.Violation) { n.wrong = append(n.wrong, v...) }

func partsOf(t *testing.T, media string) *multipart.Parts {
	t.Helper()
	return multipart.NewParts(media, json.Mode{}, func(name string, err error) { t.Errorf("%s: %v", name, err) })
}

func read(t *testing.T, data []byte, contentType string, opt multipart.FormOptions) (*multipart.Form, error) {
	t.Helper()
	if opt.Memory == 0 {
		opt.Memory = 10 << 20
	}
	r, err := multipart.NewReader(bytes.NewReader(data), contentType, multipart.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return multipart.ReadForm(r, opt)
}

func TestHeadersOfParts(t *testing.T) {
	p := partsOf(t, "multipart/*")
	yes := true
	one := heads{N: 1, Tags: []string{"a", "b"}, Note: value.Some("x"), Ptr: &yes}
	one.encode(p)
	p.Value("single", "", param.TextValue("s"))
	one.encode(p)
	p.Value("absent", "", param.Value{}) // takes its headers along
	one.encode(p)
	multipart.JSONPartPtr[int64](p, "absent", "", nil, json.Int64)
	list := []heads{{N: 1}, {N: 2, Tags: []string{"c"}}}
	multipart.EachHeader(p, "many", 3, list, (*heads).encode)
	multipart.PartList(p, "many", "", []string{"1", "2", "3"}, param.String)
	p.Value("plain", "", param.TextValue("p"))
	if !strings.HasPrefix(p.Body().ContentType(), "multipart/form-data; boundary=") {
		t.Error(p.Body().ContentType())
	}
	data := readAll(t, source(t, p.Body()))
	f, err := read(t, data, p.Body().ContentType(), multipart.FormOptions{Declared: []multipart.Declared{
		{Name: "single", Headers: true}, {Name: "absent", Headers: true}, {Name: "many", Many: true, Headers: true}, {Name: "plain", Headers: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	n := &noted{Form: f}
	var single, absent, plain heads
	var many []heads
	multipart.ReadHead(n, "single", single.decode)
	multipart.ReadHead(n, "absent", absent.decode)
	multipart.ReadHeads(n, "many", &many, (*heads).decode)
	if diff := cmp.Diff(one, single, cmp.AllowUnexported(value.Opt[string]{})); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
	if absent.N != 0 || len(many) != 3 || many[0].N != 1 || many[1].N != 2 || many[1].Tags[0] != "c" || many[2].N != 0 || len(n.wrong) != 0 {
		t.Errorf("%+v, %+v, %v", absent, many, n.wrong)
	}
	multipart.ReadHead(n, "plain", plain.decode)
	if len(n.wrong) != 1 || n.wrong[0].Pointer != "/plain" || n.wrong[0].In != check.InBody || !strings.HasPrefix(n.wrong[0].Detail, "header X-N: ") {
		t.Errorf("%v", n.wrong)
	}
}

func TestMoreHeadersThanParts(t *testing.T) {
	p := partsOf(t, "")
	multipart.EachHeader(p, "many", 1, make([]heads, 2), (*heads).encode)
	multipart.PartList(p, "many", "", []string{"1"}, param.String)
	if _, err := p.Body().Source(); err == nil || !strings.HasPrefix(err.Error(), "part many: ") {
		t.Errorf("%v", err)
	}
}

// part is one part as it is written.
func part(head, text string) string {
	return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n"
}

const (
	media = "multipart/mixed; boundary=b"
	last  = "--b--\r\n"
)

// What is kept is bounded: the text of fields, the headers that are read, and the header
// of any part.
func TestBoundsOfForms(t *testing.T) {
	long := strings.Repeat("x", 2000)
	declared := []multipart.Declared{{Name: "a", Headers: true}}
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"text":              {part(`name="a"`, long), multipart.ErrTooLarge},
		"headers":           {part("name=\"a\"\r\nX-N: "+long, "1"), multipart.ErrTooLarge},
		"nobody's headers":  {part("name=\"b\"\r\nX-N: "+long, "1"), nil},
		"headers of a part": {part("name=\"b\"\r\nX-N: "+strings.Repeat("x", 65<<10), "1"), multipart.ErrHeaderTooLarge},
		"parts":             {strings.Repeat(part(`name="b"`, ""), 1001), multipart.ErrTooManyParts},
	} {
		_, err := read(t, []byte(c.body+last), media, multipart.FormOptions{Declared: declared, Memory: 1000})
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A file whose headers are read is there before another one is handed over.
func TestHeadersOfFiles(t *testing.T) {
	declared := []multipart.Declared{{Name: "a", File: true}, {Name: "b", File: true, Headers: true, Required: true}}
	a, b := part(`name="a"; filename="a"`, "first"), part("name=\"b\"; filename=\"b\"\r\nX-N: 7", "second")
	f, err := read(t, []byte(a+b+last), media, multipart.FormOptions{Declared: declared})
	if err != nil {
		t.Fatal(err)
	}
	var h heads
	multipart.ReadHead(&noted{Form: f}, "b", h.decode)
	if h.N != 7 || len(f.Files("a")) != 1 || !f.Streaming() {
		t.Errorf("%+v, %v", h, f.Files("a"))
	}
	for _, name := range []string{"a", "b"} {
		if data, err := io.ReadAll(openFile(t, f.Files(name)[0])); err != nil || len(data) == 0 {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	// Of a large file it cannot be waited for.
	large := part(`name="a"; filename="a"`, strings.Repeat("x", 1<<20+1))
	_, err = read(t, []byte(large+b+last), media, multipart.FormOptions{Declared: declared})
	if list, ok := errors.AsType[*check.Error](err); !ok || list.Violations[0].Pointer != "/b" {
		t.Errorf("%v", err)
	}
	declared[1].Required = false
	late := errors.New("late")
	f, err = read(t, []byte(large+b+last), media, multipart.FormOptions{Declared: declared, Late: func(error) error { return late }})
	if err != nil || len(f.Files("b")) != 0 {
		t.Fatalf("%v, %v", f, err)
	}
	if _, err := io.ReadAll(openFile(t, f.Files("a")[0])); !errors.Is(err, late) {
		t.Errorf("headers behind a large file: %v", err)
	}
}

func openFile(t *testing.T, f multipart.File) io.Reader {
	t.Helper()
	r, err := f.Source().Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// With Whole all is in memory, and End is told of the last part, once.
func TestWholeForms(t *testing.T) {
	ends := 0
	f, err := read(t, []byte(part(`name="a"; filename="a"`, "x")+last), media, multipart.FormOptions{
		Declared: []multipart.Declared{{Name: "a", File: true}}, Whole: true, End: func() { ends++ },
	})
	if err != nil || f.Streaming() || ends != 1 || f.Files("a")[0].Open == nil {
		t.Errorf("%+v, %v, %d ends", f, err, ends)
	}
}

// No bytes make the reading of a form panic, and files can always be read to an end.
func FuzzForm(f *testing.F) {
	f.Add(part(`name="a"`, "1")+part(`name="f"; filename="f"`, "2")+last, false)
	f.Add(part(`name="f"; filename="f"`, "2")+part(`name="f"; filename="f"`, "2")+last, true)
	f.Add("--b\r\nContent-Disposition: inline; name*=x''%\r\n\r\n"+last, false)
	f.Fuzz(func(t *testing.T, body string, whole bool) {
		r, err := multipart.NewReader(strings.NewReader(body), media, multipart.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		form, err := multipart.ReadForm(r, multipart.FormOptions{Memory: 1 << 16, Whole: whole, Extra: whole, Declared: []multipart.Declared{
			{Name: "a", Required: true, Headers: true}, {Name: "f", File: true, Headers: true}, {Name: "g", File: true, Required: true}, {Name: "m", File: true, Many: whole},
		}})
		if err != nil {
			return
		}
		for _, name := range []string{"f", "g", "m"} {
			for _, file := range form.Files(name) {
				src, err := file.Source().Open()
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, src) // any error will do
			}
		}
		n := &noted{Form: form}
		var h heads
		multipart.ReadHead(n, "a", h.decode)
		multipart.ReadHead(n, "f", h.decode)
		_ = form.Others(nil)
	})
}
