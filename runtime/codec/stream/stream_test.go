package stream_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/stream"
)

// slices reads a stream in every way of cutting that matters.
func readers(text string) map[string]io.Reader {
	return map[string]io.Reader{
		"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		"with the end": iotest.DataErrReader(strings.NewReader(text)),
	}
}

func all(r stream.Reader) (items []string, err error) {
	for {
		data, err := r.Next()
		if err != nil {
			if again, second := r.Next(); again != nil || !errors.Is(second, err) {
				return items, errors.New("the end does not stay")
			}
			return items, err
		}
		items = append(items, string(data))
	}
}

// The examples of the HTML standard, section "Interpreting an event stream",
// and what else it says.
func TestEvents(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"stock":          {"data: YHOO\ndata: +2\ndata: 10\n\n", []string{"YHOO\n+2\n10"}},
		"four blocks":    {": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n", []string{"first event", "second event", " third event"}},
		"empty data":     {"data\n\n" + strings.Repeat("data\n", 2) + "\ndata:", []string{"", "\n"}},
		"optional space": {"data:test\n\ndata: test\n\n", []string{"test", "test"}},
		"CRLF":           {"data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", []string{"a\nb", "c"}},
		"CR":             {"data: a\rdata: b\r\rdata: c\r\r", []string{"a\nb", "c"}},
		"mixed ends":     {"data: a\n\r\ndata: b\r\n\n\ndata: c\r\r\n", []string{"a", "b", "c"}},
		"BOM":            {"\ufeffdata: a\n\n", []string{"a"}},
		"BOM later":      {"data: a\n\n\ufeffdata: b\n\n", []string{"a"}},
		"cut off":        {"data: a\n\ndata: b\n", []string{"a"}},
		"cut in a line":  {"data: a\n\ndata: b", []string{"a"}},
		"no data":        {"event: x\n\nid: 3\n\ndata: a\n\n", []string{"a"}},
		"unknown fields": {"foo: bar\nDATA: x\ndata: a\n data: b\n\n", []string{"a"}},
		"nothing":        {"", nil},
	} {
		for cut, r := range readers(test.text) {
			got, err := all(stream.NewEventReader(r, 0))
			if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s, %s: %q, %v, want %q", name, cut, got, err, test.want)
			}
		}
	}
}

func TestEventFields(t *testing.T) {
	r := stream.NewEventReader(strings.NewReader(
		"id: 1\nevent: add\nretry: 1500\ndata: a\n\ndata: b\n\nid: x\x00y\ndata: c\nretry: 1s\n\nid\nevent\ndata: d\n\nid: 9\n\ndata: e\n\n"), 0)
	want := []stream.Event{
		{ID: "1", Name: "add", Data: []byte("a"), Retry: 1500 * time.Millisecond},
		{ID: "1", Data: []byte("b"), Retry: 1500 * time.Millisecond},
		{ID: "1", Data: []byte("c"), Retry: 1500 * time.Millisecond},
		{ID: "", Data: []byte("d"), Retry: 1500 * time.Millisecond},
		{ID: "9", Data: []byte("e"), Retry: 1500 * time.Millisecond},
	}
	for i, w := range want {
		if _, err := r.Next(); err != nil || !reflect.DeepEqual(r.Event(), w) {
			t.Errorf("%d: %+v, %v, want %+v", i, r.Event(), err, w)
		}
	}
}

// blocking gives what it has and then waits for ever.
type blocking struct{ data []byte }

func (b *blocking) Read(p []byte) (int, error) {
	if len(b.data) == 0 {
		panic("the reader asks for more than it needs")
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

// An item is handed out when its end is there, whatever comes after.
func TestItemsAreNotHeldBack(t *testing.T) {
	for text, r := range map[string]stream.Reader{
		"data: a\r\r":  stream.NewEventReader(&blocking{[]byte("data: a\r\r")}, 0),
		"data: a\n\n":  stream.NewEventReader(&blocking{[]byte("data: a\n\n")}, 0),
		"line":         stream.NewLineReader(&blocking{[]byte("1\n")}, 0),
		"record":       stream.NewSequenceReader(&blocking{[]byte("\x1e{\"a\":\n1}\n")}, 0),
		"record alone": stream.NewSequenceReader(&blocking{[]byte("\x1e1\n")}, 0),
	} {
		if _, err := r.Next(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, r := range map[string]stream.Reader{
		"event":             stream.NewEventReader(strings.NewReader("data: a\n\ndata: "+long+"\n\n"), 99),
		"lines of an event": stream.NewEventReader(strings.NewReader("data: a\n\n"+strings.Repeat("data: 0123456789\n", 10)), 99),
		"line":              stream.NewLineReader(strings.NewReader("1\n"+long), 99),
		"record":            stream.NewSequenceReader(strings.NewReader("\x1e1\n\x1e\""+long), 99),
	} {
		if _, err := r.Next(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := r.Next()
		var item *stream.ItemError
		if !errors.Is(err, stream.ErrTooLarge) || !errors.As(err, &item) || item.Number != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Comments cost nothing.
	r := stream.NewEventReader(strings.NewReader(strings.Repeat(":"+long[:50]+"\n", 100)+"data: a\n\n"), 99)
	if data, err := r.Next(); err != nil || string(data) != "a" {
		t.Errorf("comments: %q, %v", data, err)
	}
}

func TestLines(t *testing.T) {
	long := `"` + strings.Repeat("x", 200_000) + `"`
	for cut, r := range readers("{\"n\":1}\n\r\n  \n{\"n\":2}\r\n" + long + "\n3") {
		lines := stream.NewLineReader(r, 0)
		got, err := all(lines)
		if want := []string{`{"n":1}`, `{"n":2}`, long, "3"}; !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d items, %v", cut, len(got), err)
		}
		if lines.Number() != 6 {
			t.Errorf("%s: line %d", cut, lines.Number())
		}
	}
}

func decode(data []byte) (int, error) {
	var n int
	return n, json.Unmarshal(data, &n)
}

func TestItems(t *testing.T) {
	var got []int
	var last error
	for n, err := range stream.Items(stream.NewLineReader(strings.NewReader("1\n2\nx\n4\n"), 0), decode) {
		if last = err; err == nil {
			got = append(got, n)
		}
	}
	var item *stream.ItemError
	if !reflect.DeepEqual(got, []int{1, 2}) || !errors.As(last, &item) || item.Number != 3 || item.Unit != "line" {
		t.Errorf("%v, %v", got, last)
	}
	for n, err := range stream.Items(stream.NewLineReader(strings.NewReader("1\n2\n"), 0), decode) {
		if n != 1 || err != nil {
			t.Errorf("%v, %v", n, err)
		}
		break
	}
}

// RFC 7464, sections 2.1, 2.3 and 2.4.
func TestSequence(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
		err  error
	}{
		"two":            {"\x1e{\"a\":1}\n\x1e[2,\n3]\n", []string{`{"a":1}`, "[2,\n3]"}, io.EOF},
		"empty records":  {"\x1e\x1e1\n\x1e\n\x1e\x1e", []string{"1"}, io.EOF},
		"line feeds":     {"\n\x1e1\n\n\n\x1e2\n", []string{"1", "2"}, io.EOF},
		"no line feed":   {"\x1e{\"a\":1}\x1e\"x\"", []string{`{"a":1}`, `"x"`}, io.EOF},
		"cut number":     {"\x1e12\x1e3\n", nil, stream.ErrTruncated},
		"cut at the end": {"\x1e1\n\x1etru", []string{"1"}, stream.ErrTruncated},
		"open brackets":  {"\x1e{\"a\":\x1e1\n", nil, stream.ErrTruncated},
		"braces in text": {"\x1e{\"}\\\"\n\":1}\n", []string{"{\"}\\\"\n\":1}"}, io.EOF},
		"nothing":        {"", nil, io.EOF},
	} {
		for cut, r := range readers(test.text) {
			got, err := all(stream.NewSequenceReader(r, 0))
			if !errors.Is(err, test.err) || !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s, %s: %q, %v, want %q", name, cut, got, err, test.want)
			}
		}
	}
	if _, err := all(stream.NewSequenceReader(strings.NewReader("{}\n"), 0)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("without separators: %v", err)
	}
}

var errBroken = errors.New("broken")

func TestReadErrors(t *testing.T) {
	for _, r := range []stream.Reader{
		stream.NewEventReader(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(errBroken)), 0),
		stream.NewLineReader(io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(errBroken)), 0),
		stream.NewSequenceReader(io.MultiReader(strings.NewReader("\x1e1\n\x1e2"), iotest.ErrReader(errBroken)), 0),
	} {
		if got, err := all(r); !errors.Is(err, errBroken) || !reflect.DeepEqual(got, []string{"1"}) {
			t.Errorf("%T: %q, %v", r, got, err)
		}
	}
}

type flushed struct {
	bytes.Buffer
	flushes []int
}

func (f *flushed) Flush() { f.flushes = append(f.flushes, f.Len()) }

func TestWriter(t *testing.T) {
	var out flushed
	w := stream.NewWriter(&out, stream.Events, nil)
	for _, err := range []error{
		w.Item([]byte(`{"n":1}`)),
		w.Event(stream.Event{ID: "7", Name: "add", Data: []byte("a\nb\r\nc\rd"), Retry: 2 * time.Second}),
		w.Comment("still here"),
		w.Item(nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const want = "data: {\"n\":1}\n\n" + "event: add\nid: 7\nretry: 2000\ndata: a\ndata: b\ndata: c\ndata: d\n\n" + ": still here\n\n" + "data: \n\n"
	if out.String() != want || len(out.flushes) != 4 || out.flushes[0] != 15 {
		t.Errorf("%q, flushed at %v", out.String(), out.flushes)
	}
	got, err := all(stream.NewEventReader(&out.Buffer, 0))
	if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, []string{`{"n":1}`, "a\nb\nc\nd", ""}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, e := range []stream.Event{{ID: "a\nb"}, {ID: "a\x00"}, {Name: "a\rb"}} {
		if w.Event(e) == nil {
			t.Errorf("%+v is written", e)
		}
	}
	if w.Comment("a\nb") == nil {
		t.Error("a comment of two lines is written")
	}
}

func TestWriteLinesAndSequences(t *testing.T) {
	var out bytes.Buffer
	lines := stream.NewWriter(&out, stream.Lines, nil)
	_ = lines.Item([]byte("1"))
	_ = lines.Item([]byte(`"a"`))
	_ = lines.Comment("none")
	if out.String() != "1\n\"a\"\n" {
		t.Errorf("%q", out.String())
	}
	if lines.Item([]byte("[\n]")) == nil {
		t.Error("an item of two lines is written")
	}
	out.Reset()
	sequence := stream.NewWriter(&out, stream.Sequence, nil)
	_ = sequence.Item([]byte("[\n1]"))
	_ = sequence.Item([]byte("2"))
	if got, err := all(stream.NewSequenceReader(&out, 0)); !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, []string{"[\n1]", "2"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// Whatever comes, readers end, keep to their bound, and do not depend on how
// the stream is cut.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{"data: a\r\n\r\n", "\ufeffid: 1\ndata\n\n", "{}\n\n[]", "\x1e1\n\x1e{\"a\"", ":\r\rdata:x\r\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, open := range []func(io.Reader) stream.Reader{
			func(r io.Reader) stream.Reader { return stream.NewEventReader(r, 50) },
			func(r io.Reader) stream.Reader { return stream.NewLineReader(r, 50) },
			func(r io.Reader) stream.Reader { return stream.NewSequenceReader(r, 50) },
		} {
			whole, err1 := all(open(strings.NewReader(text)))
			cut, err2 := all(open(iotest.OneByteReader(strings.NewReader(text))))
			if !reflect.DeepEqual(whole, cut) || err1.Error() != err2.Error() {
				t.Errorf("%d: %q, %v and %q, %v", i, whole, err1, cut, err2)
			}
			for _, item := range whole {
				if len(item) > 50 {
					t.Errorf("%d: an item of %d bytes", i, len(item))
				}
			}
		}
	})
}
