package gallery_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	stdmultipart "mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func token() *gallery.FormTokenOKBody {
	p := point(1, 2)
	return &gallery.FormTokenOKBody{
		Token: "t&k", Colour: gallery.ColourRed, Lifetime: value.Some[int64](60), Sizes: []int64{1, 2}, Flat: []string{"a", "b c"},
		Where: &p, Deep: &gallery.Filter{State: value.Some("q"), Labels: map[string]string{"a": "b"}},
	}
}

func sheet() *gallery.PartsSheetOKBody {
	p := point(1, 2)
	return &gallery.PartsSheetOKBody{
		Title: "sun", Colours: []gallery.Colour{"red", "blue"}, Where: &p, Points: []gallery.Point{p, point(3, 4)},
	}
}

func (e *echo) FormToken(context.Context) (*gallery.FormTokenOKBody, error) { return token(), nil }
func (e *echo) FormAny(context.Context) (map[string]string, error) {
	return map[string]string{"b": "2", "a": "1 &"}, nil
}
func (e *echo) PartsSheet(context.Context) (*gallery.PartsSheetOKBody, error) { return sheet(), nil }
func (e *echo) PartsAny(context.Context) (map[string]int64, error) {
	return map[string]int64{"b": 2, "a": 1}, nil
}

func (e *echo) PartsAlbum(context.Context) (*gallery.PartsAlbumResponse, error) {
	res := &gallery.PartsAlbumResponse{XCount: value.Some[int64](3)}
	res.Body = gallery.PartsAlbumOKBody{
		Title: value.Some("sea"), Pages: []multipart.File{multipart.FileBytes("1.txt", []byte("one")), multipart.FileBytes("2.txt", []byte("two"))},
		Cover: multipart.FileBytes("c.png", []byte("png")),
	}
	res.PartHeaders.Title.XLanguage.Set("en")
	res.PartHeaders.Pages = []gallery.PartsAlbumOKPagesHeaders{{XNumber: 1}, {XNumber: 2}}
	res.PartHeaders.Cover = gallery.PartsAlbumOKCoverHeaders{XSize: point(3, 4), XTags: []string{"x", "y"}, XColour: value.Some(gallery.ColourRed)}
	return res, nil
}

// albumSeen is an album with its files read.
type albumSeen struct {
	Title, Cover, Type string
	Pages              []string
	Heads              gallery.SendAlbumPartHeaders
}

func (e *echo) SendAlbum(_ context.Context, r gallery.SendAlbumRequest) (*gallery.Seen, error) {
	got := albumSeen{Title: r.Body.Title.Or(""), Heads: r.PartHeaders}
	for _, f := range r.Body.Pages {
		text, err := content(f)
		if err != nil {
			return nil, err
		}
		got.Pages = append(got.Pages, f.Name+"="+text)
	}
	var err error
	got.Cover, err = content(r.Body.Cover)
	_, got.Type, _ = server.FileInfo(r.Body.Cover)
	if err != nil {
		return nil, err
	}
	return e.seen(got)
}

func (e *echo) PartsRelated(context.Context) (*gallery.PartsRelatedResponse, error) {
	return &gallery.PartsRelatedResponse{Body: gallery.PartsRelatedOKBody{
		Page: multipart.FileBytes("page.html", []byte("<p>")), Image: multipart.FileBytes("a.gif", []byte("gif")),
	}}, nil
}

func (e *echo) SubscribeNamed(_ context.Context, r gallery.SubscribeNamedRequest) (gallery.SubscribeNamedResult, error) {
	e.keep(r)
	return &gallery.SubscribeNamedCreated{Location: "/hooks/7", Body: gallery.SubscribeNamedCreatedBody{ID: "7"}}, nil
}

// A form comes back as the value that it was, written by the rules of a request.
func TestFormResponse(t *testing.T) {
	c, url := direct(t, &echo{})
	got, err := c.FormToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(token(), got, same); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
	a := by(t, http.MethodGet, url+"/forms/token", "")
	want := "token=t%26k&colour=red&lifetime=60&sizes=1&sizes=2&flat=a%7Cb+c&where=%7B%22x%22%3A1%2C%22y%22%3A2%7D&deep%5Bstate%5D=q&deep%5Blabels%5D%5Ba%5D=b"
	if a.body != want || a.header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		t.Errorf("%s as %s, want %s", a.body, a.header.Get("Content-Type"), want)
	}
	all, err := c.FormAny(t.Context())
	if want := map[string]string{"a": "1 &", "b": "2"}; err != nil || !cmp.Equal(all, want) {
		t.Errorf("%v, %v", all, err)
	}
}

// serving is a client of a server that gives one answer.
func serving(t *testing.T, contentType, body string, opts ...client.Option) *gallery.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body) // the client is what is tested
	}))
	t.Cleanup(s.Close)
	c, err := gallery.New(append([]client.Option{client.BaseURL(s.URL)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	return c
}

// What is wrong with a form is told with the place, and is a fault of the response. A
// value of an enum that the document does not have is kept.
func TestFormResponsesThatAreWrong(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	for body, says := range map[string]string{
		"colour=red":                          "/token: is required",
		"token=ab&colour=red&lifetime=x":      "/lifetime: ",
		"token=ab&colour=red&sizes=1&sizes=x": "/sizes/1: ",
		"token=%zz&colour=red":                "%",
	} {
		_, err := serving(t, form, body).FormToken(t.Context())
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Response || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", body, err)
		}
	}
	got, err := serving(t, form, "token=a&colour=violet").FormToken(t.Context())
	if err != nil || got.Colour != "violet" {
		t.Errorf("%v, %v", got, err)
	}
	_, err = serving(t, form, "token=a&colour=red", client.Strict()).FormToken(t.Context())
	if err == nil || !strings.Contains(err.Error(), "/token: ") {
		t.Errorf("a strict client: %v", err)
	}
	if _, err = serving(t, form, "token="+strings.Repeat("a", 100), client.BodyLimit(50)).FormToken(t.Context()); err == nil {
		t.Error("a form over the limit")
	}
}

// failing answers with its error.
type failing struct {
	gallery.Unimplemented

	err error
	res *gallery.FormTokenOKBody
}

func (f failing) FormToken(context.Context) (*gallery.FormTokenOKBody, error) { return f.res, f.err }

// A failure is typed as well: its files are in memory.
func TestFormsOfFailures(t *testing.T) {
	c, _ := direct(t, failing{err: &gallery.FormTokenBadRequest{BodyForm: &gallery.FormTokenBadRequestFormBody{Error: "no, thanks"}}})
	_, err := c.FormToken(t.Context())
	var bad *gallery.FormTokenBadRequest
	if !errors.As(err, &bad) || bad.BodyForm == nil || bad.BodyForm.Error != "no, thanks" || bad.BodyMultipart != nil {
		t.Errorf("%v", err)
	}
	c, _ = direct(t, failing{err: &gallery.FormTokenBadRequest{BodyMultipart: &gallery.FormTokenBadRequestFormBodyInline{
		Error: value.Some("see log"), Log: multipart.FileReader("log.txt", strings.NewReader("line\n")),
	}}})
	_, err = c.FormToken(t.Context())
	if !errors.As(err, &bad) || bad.BodyMultipart == nil || bad.BodyMultipart.Error.Or("") != "see log" {
		t.Fatalf("%v", err)
	}
	if text, err := content(bad.BodyMultipart.Log); err != nil || text != "line\n" || bad.BodyMultipart.Log.Name != "log.txt" {
		t.Errorf("%q of %s, %v", text, bad.BodyMultipart.Log.Name, err)
	}
}

// A form is held to its constraints where the handler validates responses.
func TestFormResponseIsValidated(t *testing.T) {
	s := httptest.NewServer(gallery.NewHandler(failing{res: &gallery.FormTokenOKBody{Token: "x", Colour: "red"}}, server.ValidateResponses(), server.OnError(nil)))
	t.Cleanup(s.Close)
	if a := by(t, http.MethodGet, s.URL+"/forms/token", ""); a.status != http.StatusInternalServerError {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestPartsWithoutFiles(t *testing.T) {
	c, _ := direct(t, &echo{})
	got, err := c.PartsSheet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sheet(), got, same); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
	all, err := c.PartsAny(t.Context())
	if want := map[string]int64{"a": 1, "b": 2}; err != nil || !cmp.Equal(all, want) {
		t.Errorf("%v, %v", all, err)
	}
}

// Files and the headers of single parts, there and back.
func TestAlbum(t *testing.T) {
	svc := &echo{}
	c, _ := direct(t, svc)
	res, err := c.PartsAlbum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sent, _ := svc.PartsAlbum(t.Context())
	if diff := cmp.Diff(sent.PartHeaders, res.PartHeaders, same); diff != "" {
		t.Errorf("headers (-sent +got):\n%s", diff)
	}
	if res.Body.Title.Or("") != "sea" || res.XCount.Or(0) != 3 || len(res.Body.Pages) != 2 || res.Body.Pages[1].Name != "2.txt" {
		t.Errorf("%+v", res.Body)
	}
	cover, err := content(res.Body.Cover)
	name, media, ok := multipart.FileInfo(res.Body.Cover)
	if err != nil || cover != "png" || name != "c.png" || media != "image/png" || !ok {
		t.Errorf("%q of %s %s, %v", cover, name, media, err)
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}

	up := gallery.SendAlbumRequest{Body: sent.Body}
	up.PartHeaders.Title.XLanguage.Set("en")
	up.PartHeaders.Pages = []gallery.SendAlbumPagesHeaders{{XNumber: 1}, {XNumber: 2}}
	up.PartHeaders.Cover = gallery.SendAlbumCoverHeaders{XSize: point(3, 4), XTags: []string{"x", "y"}}
	if _, err := c.SendAlbum(t.Context(), up); err != nil {
		t.Fatal(err)
	}
	want := albumSeen{Title: "sea", Cover: "png", Type: "image/png", Pages: []string{"1.txt=one", "2.txt=two"}, Heads: up.PartHeaders}
	if diff := cmp.Diff(any(want), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}

	up.PartHeaders.Pages = append(up.PartHeaders.Pages, gallery.SendAlbumPagesHeaders{XNumber: 3})
	if _, err := c.SendAlbum(t.Context(), up); err == nil || !strings.Contains(err.Error(), "part pages: headers are given for more parts") {
		t.Errorf("headers for a page that is not there: %v", err)
	}
}

// What is wrong with the headers of parts is told with their part.
func TestPartHeadersThatAreWrong(t *testing.T) {
	_, url := direct(t, &echo{})
	part := func(head, text string) string {
		return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n"
	}
	cover := part("name=\"cover\"; filename=\"c\"\r\nX-Size: x,1,y,2", "png")
	for body, says := range map[string]string{
		part("name=\"cover\"; filename=\"c\"", "png"):                                      "header X-Size: is required",
		part("name=\"pages\"; filename=\"p\"\r\nX-Number: one", "1") + cover:               "header X-Number: ",
		part("name=\"pages\"; filename=\"p\"\r\nX-Number: 0", "1") + cover:                 "X-Number",
		part("name=\"cover\"; filename=\"c\"\r\nX-Size: x,1,y,2\r\nX-Colour: violet", "p"): "header X-Colour: ",
	} {
		a := by(t, http.MethodPut, url+"/parts/album", body+"--b--\r\n", "Content-Type: multipart/mixed; boundary=b")
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, says) {
			t.Errorf("%q: %d %s, want %s", body, a.status, a.body, says)
		}
	}
	a := by(t, http.MethodPut, url+"/parts/album", cover+"--b--\r\n", "Content-Type: multipart/mixed; boundary=b")
	if a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	a = by(t, http.MethodPut, url+"/parts/album", part("name=\"cover\"; filename=\"c\"\r\nX-Tags: "+strings.Repeat("x", 70<<10), "p")+"--b--\r\n",
		"Content-Type: multipart/mixed; boundary=b")
	if a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large header: %d %s", a.status, a.body)
	}
}

// Any server's multipart/mixed is read, whatever disposition its parts have; the
// standard library reads ours.
func TestMultipartOfOthers(t *testing.T) {
	var b bytes.Buffer
	w := stdmultipart.NewWriter(&b)
	part := func(disposition, media, text string) {
		p, err := w.CreatePart(map[string][]string{"Content-Disposition": {disposition}, "Content-Type": {media}})
		if err == nil {
			_, err = io.WriteString(p, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	part(`inline; name="title"`, "text/plain", "hi")
	part(`attachment; name="where"`, "application/json", `{"x":1,"y":2}`)
	part(`form-data; name="stranger"`, "text/plain", "nobody asked")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := serving(t, w.FormDataContentType(), b.String()).PartsSheet(t.Context())
	if err != nil || got.Title != "hi" || got.Where == nil || got.Where.Y != 2 {
		t.Errorf("%+v, %v", got, err)
	}

	_, url := direct(t, &echo{})
	a := by(t, http.MethodGet, url+"/parts/related", "")
	media, params, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || media != "multipart/related" {
		t.Fatalf("%s, %v", media, err)
	}
	form, err := stdmultipart.NewReader(strings.NewReader(a.body), params["boundary"]).ReadForm(1 << 20)
	if err != nil || len(form.File["page"]) != 1 || form.File["page"][0].Filename != "page.html" || form.File["image"][0].Size != 3 {
		t.Errorf("%+v, %v", form, err)
	}
}

// Bodies that end early, are something else, or have too many parts are faults.
func TestMultipartResponsesThatAreWrong(t *testing.T) {
	const media = "multipart/form-data; boundary=b"
	title := "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nhi\r\n"
	for body, says := range map[string]string{
		title:                                 "",
		"nothing":                             "",
		"--b--\r\n":                           "/title: is required",
		title + title + "--b--":               "/title: is given more than once",
		strings.Repeat(title, 1001) + "--b--": "too many parts",
		strings.Replace(title, "hi", strings.Repeat("x", 70), 1) + "--b--\r\n": "larger than the limit",
	} {
		opts := []client.Option{}
		if says == "larger than the limit" {
			opts = append(opts, client.BodyLimit(100))
		}
		_, err := serving(t, media, body, opts...).PartsSheet(t.Context(), client.NoRetry())
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Response || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v", body, err)
		}
	}
	if _, err := serving(t, "multipart/form-data", title).PartsSheet(t.Context()); err == nil {
		t.Error("without a boundary")
	}
}
