package gallery_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// related answers with two files that the test writes.
type related struct {
	gallery.Unimplemented

	res *gallery.PartsRelatedResponse
}

func (r related) PartsRelated(context.Context) (*gallery.PartsRelatedResponse, error) {
	return r.res, nil
}

// closing is a reader that tells when it is closed.
type closing struct {
	io.Reader

	closed chan struct{}
	times  atomic.Int32
}

func closingOf(r io.Reader) *closing { return &closing{Reader: r, closed: make(chan struct{})} }

func (c *closing) Close() error {
	if c.times.Add(1) == 1 {
		close(c.closed)
	}
	if p, ok := c.Reader.(*io.PipeReader); ok {
		return p.Close()
	}
	return nil
}

func relatedOf(page, image io.Reader) related {
	return related{res: &gallery.PartsRelatedResponse{Body: gallery.PartsRelatedOKBody{
		Page: multipart.FileReader("page.html", page), Image: multipart.FileReader("image.gif", image),
	}}}
}

// The client has the beginning of a file while the server is still writing the rest, and
// its connection is used again when all is read.
func TestPartsOfAResponseAreStreamed(t *testing.T) {
	in, out := io.Pipe()
	page, image := closingOf(in), closingOf(strings.NewReader("gif"))
	c, _ := direct(t, relatedOf(page, image))
	go func() { _, _ = io.WriteString(out, strings.Repeat("a", 64<<10)) }()
	res, err := c.PartsRelated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 1000)
	if _, err := io.ReadFull(res.Body.Page.Reader, head); err != nil || string(head) != strings.Repeat("a", 1000) {
		t.Fatalf("%.20q, %v", head, err)
	}
	go func() {
		_, _ = io.WriteString(out, "the end")
		_ = out.Close()
	}()
	rest, err := io.ReadAll(res.Body.Page.Reader)
	if err != nil || len(rest) != 64<<10-1000+7 || !strings.HasSuffix(string(rest), "the end") {
		t.Errorf("%d bytes, %v", len(rest), err)
	}
	name, media, ok := multipart.FileInfo(res.Body.Image)
	if name != "image.gif" || media != "application/octet-stream" || !ok {
		t.Errorf("%s %s %v", name, media, ok)
	}
	if text, err := content(res.Body.Image); err != nil || text != "gif" {
		t.Errorf("%q, %v", text, err)
	}
	soon(t, page.closed)
	soon(t, image.closed)

	// Nobody has called Close: all was read.
	reused := false
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	_, _ = c.FormAny(ctx, client.NoRetry()) // it is not there, which is no matter
	if !reused {
		t.Error("the connection was not free again")
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

// Close ends a response that nobody reads, and the server's reader with it.
func TestPartsThatAreLeft(t *testing.T) {
	in, out := io.Pipe()
	page := closingOf(in)
	c, _ := direct(t, relatedOf(page, strings.NewReader("gif")))
	go func() {
		piece := make([]byte, 64<<10)
		for {
			if _, err := out.Write(piece); err != nil {
				return
			}
		}
	}()
	res, err := c.PartsRelated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(res.Close(), res.Close()); err != nil {
		t.Error(err)
	}
	soon(t, page.closed)
	if _, err := io.Copy(io.Discard, res.Body.Page.Reader); !errors.Is(err, client.ErrClosed) {
		t.Errorf("reading on: %v", err)
	}
	var none *gallery.PartsRelatedResponse
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// The end of the caller's context is told as such.
func TestPartsOfACallThatEnds(t *testing.T) {
	in, out := io.Pipe()
	c, _ := direct(t, relatedOf(closingOf(in), strings.NewReader("gif")))
	t.Cleanup(func() { _ = out.Close() }) // before the server waits for its last request
	go func() { _, _ = out.Write(make([]byte, 64<<10)) }()
	ctx, cancel := context.WithCancel(t.Context())
	res, err := c.PartsRelated(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, res.Body.Page.Reader); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// A file is passed over by reading the one behind it.
func TestPartsOutOfOrder(t *testing.T) {
	c, _ := direct(t, relatedOf(strings.NewReader(strings.Repeat("a", 1<<20)), strings.NewReader("gif")))
	res, err := c.PartsRelated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Close() })
	if text, err := content(res.Body.Image); err != nil || text != "gif" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := content(res.Body.Page); err == nil || !strings.Contains(err.Error(), "passed over") {
		t.Errorf("the page behind: %v", err)
	}
}

// An optional file that never comes reads as empty.
func TestPartsThatNeverCome(t *testing.T) {
	c, _ := direct(t, related{res: &gallery.PartsRelatedResponse{Body: gallery.PartsRelatedOKBody{Page: multipart.FileBytes("p", []byte("page"))}}})
	res, err := c.PartsRelated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := content(res.Body.Page)
	image, err2 := content(res.Body.Image)
	if page != "page" || image != "" || errors.Join(err, err2, res.Close()) != nil {
		t.Errorf("%q, %q, %v, %v", page, image, err, err2)
	}
	if _, _, ok := multipart.FileInfo(res.Body.Image); ok {
		t.Error("there is an image")
	}
}

// A file that breaks off is a fault to its reader, whatever it is that breaks.
func TestPartsThatBreakOff(t *testing.T) {
	begin := "--b\r\nContent-Disposition: form-data; name=\"page\"; filename=\"p\"\r\n\r\nbegin"
	for name, body := range map[string]string{
		"the end is missing": begin,
		"a page twice":       begin + "\r\n" + begin + "\r\n--b--\r\n",
	} {
		res, err := serving(t, "multipart/related; boundary=b", body).PartsRelated(t.Context(), client.NoRetry())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(res.Body.Page.Reader)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Response || f.Op != "partsRelated" || string(text) != "begin" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
	// The server's own reader fails: the connection ends, and the client does not take
	// what it got for all.
	in, out := io.Pipe()
	c, _ := direct(t, relatedOf(closingOf(in), strings.NewReader("gif")))
	go func() {
		_, _ = out.Write(make([]byte, 64<<10))
		_ = out.CloseWithError(errors.New("disk on fire"))
	}()
	res, err := c.PartsRelated(t.Context(), client.NoRetry())
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, res.Body.Page.Reader)
	var f *fault.Error
	if !errors.As(err, &f) || strings.Contains(err.Error(), "fire") {
		t.Errorf("%v", err)
	}
	// What has to be there and is not is told before anything is handed over.
	if _, err := serving(t, "multipart/related; boundary=b", "--b--\r\n").PartsRelated(t.Context()); err == nil || !strings.Contains(err.Error(), "/page: ") {
		t.Errorf("without a page: %v", err)
	}
}

// An answer that cannot be written closes the readers of its files.
func TestPartsThatCannotBeSent(t *testing.T) {
	page := closingOf(strings.NewReader("x"))
	svc := related{res: &gallery.PartsRelatedResponse{Body: gallery.PartsRelatedOKBody{Page: multipart.File{Name: "a\nb", Reader: page}}}}
	c, _ := direct(t, svc)
	_, err := c.PartsRelated(t.Context(), client.NoRetry())
	var f *fault.Error
	if !errors.As(err, &f) || f.Status != http.StatusInternalServerError {
		t.Errorf("%v", err)
	}
	soon(t, page.closed)
}

// The address of a callback is found in the request and the response of its operation.
func TestAddressesOfResponses(t *testing.T) {
	req := &gallery.SubscribeNamedRequest{Body: gallery.SubscribeBody{URL: "https://me.example/in"}}
	url, err := gallery.ReportedURL(req, &gallery.SubscribeNamedCreated{Location: "/hooks/7", Body: gallery.SubscribeNamedCreatedBody{ID: "7"}})
	if want := "https://hooks.example/201/POST/7?at=/hooks/7&for=https://me.example/in"; err != nil || url != want {
		t.Errorf("%s, %v, want %s", url, err, want)
	}
	if _, err := gallery.ReportedURL(req, &gallery.SubscribeNamedAccepted{}); !errors.Is(err, client.ErrNoAddress) {
		t.Errorf("a response without a body: %v", err)
	}
	if url, err := gallery.AnsweredURL("https://me.example/hooks/named"); err != nil || url != "https://me.example/hooks/named" {
		t.Errorf("%s, %v", url, err)
	}
}

// subscriber calls back where the response says.
type subscriber struct {
	gallery.Unimplemented

	caller gallery.CallbackAPI
	at     string
}

func (s subscriber) SubscribeNamed(ctx context.Context, _ gallery.SubscribeNamedRequest) (gallery.SubscribeNamedResult, error) {
	url, err := gallery.AnsweredURL(s.at + server.RequestOf(ctx).URL.Path)
	if err != nil {
		return nil, err
	}
	return &gallery.SubscribeNamedAccepted{}, s.caller.Answered(ctx, url)
}

func TestCallbackToTheURL(t *testing.T) {
	h := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h <- r.Method + " " + r.URL.Path
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	caller, err := gallery.NewCallbackClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Core().CloseIdle)
	c, _ := direct(t, subscriber{caller: caller, at: receiver.URL})
	res, err := c.SubscribeNamed(t.Context(), gallery.SubscribeNamedRequest{Body: gallery.SubscribeBody{URL: "https://me.example/"}})
	if _, ok := res.(*gallery.SubscribeNamedAccepted); err != nil || !ok {
		t.Fatalf("%v, %v", res, err)
	}
	if got := soon(t, h); got != "POST /hooks/named" {
		t.Error(got)
	}
}
