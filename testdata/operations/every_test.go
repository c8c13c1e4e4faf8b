package api_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"math/big"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	api "example.test/every/both"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// service gives back what it got, as far as the results allow.
type service struct {
	api.Unimplemented
	got, heads any
}

func (s *service) Root(context.Context) (*api.Shared, error) {
	e := &api.Several{StatusCode: 503}
	e.BodyText.Set("too late")
	return nil, e
}

func (s *service) RootHead(context.Context) (*api.RootHeadResponse, error) {
	v := &api.RootHeadResponse{}
	v.XA.Set(4)
	return v, nil
}

func (s *service) RootOptions(context.Context) (*api.RootOptionsDefault, error) {
	return &api.RootOptionsDefault{StatusCode: 203, Body: []any{"x"}}, nil
}

func (s *service) Odd(_ context.Context, r api.OddRequest) (api.OddResult, error) {
	s.got = r
	if r.X == api.Level1 {
		return &api.Odd3XX{StatusCode: 307}, nil
	}
	return &api.Odd2XX{StatusCode: 206, Body: r.Y}, nil
}

func (s *service) OddBare(context.Context) error { s.got = "bare"; return nil }

func (s *service) Params(_ context.Context, r api.ParamsRequest) (*api.ParamsResponse, error) {
	s.got = r
	v := &api.ParamsResponse{
		XNode: api.Node{Name: value.Some("n")}, XTags: api.Tags{"a", "b"}, XLabels: api.Labels{"x": 1},
		XJSON: &api.Node{Name: value.Some("j")}, XBytes: []byte{1, 2}, SetCookie: []string{"a=1, 2"},
	}
	v.XLevel.Set(9)
	v.BodyHeader.Set("b")
	return v, nil
}

func (s *service) QueryJSON(_ context.Context, r api.QueryJSONRequest) error { s.got = r; return nil }
func (s *service) QueryText(_ context.Context, r api.QueryTextRequest) error { s.got = r; return nil }
func (s *service) QueryMap(_ context.Context, r api.QueryMapRequest) error   { s.got = r; return nil }

func (s *service) Bodies(_ context.Context, r api.BodiesRequest) (api.BodiesResult, error) {
	var err error
	switch {
	case r.Body.Ndjson != nil:
		s.got, err = collect(r.Body.Ndjson)
	case r.Body.Events != nil:
		s.got, err = collect(r.Body.Events)
	case r.Body.XML != nil:
		s.got, err = text(r.Body.XML)
	case !r.Body.Image.IsZero():
		var data string
		data, err = text(r.Body.Image.Reader)
		s.got = r.Body.Image.ContentType + " " + data
	case r.Body.Multipart != nil:
		s.got, err = upload(r.Body.Multipart)
	default:
		s.got = r.Body
	}
	return &api.BodiesAccepted{}, err
}

func text(r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	return string(data), err
}

func collect[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// seen is an upload with its files read.
type seen struct {
	File, Anything string
	Files          []string
	Rest           api.Upload
}

func upload(u *api.Upload) (s seen, err error) {
	read := func(f multipart.File) string {
		if f.IsZero() {
			return ""
		}
		r, openErr := f.Source().Open()
		if openErr != nil {
			err = openErr
			return ""
		}
		data, readErr := text(r)
		err = errors.Join(err, readErr)
		return data
	}
	for _, f := range u.Files {
		s.Files = append(s.Files, read(f))
	}
	s.File, s.Anything = read(u.File), read(u.Anything)
	s.Rest = *u
	s.Rest.File, s.Rest.Files, s.Rest.Anything = multipart.File{}, nil, multipart.File{}
	return s, err
}

func (s *service) BodyRaw(_ context.Context, r api.BodyRawRequest) (value.Raw, error) {
	return r.Body, nil
}

func (s *service) BodyNull(_ context.Context, r api.BodyNullRequest) ([]value.Null[string], error) {
	if r.Body == nil {
		return []value.Null[string]{{}}, nil
	}
	return []value.Null[string]{value.NotNull(r.Body.A.Or("")), {}}, nil
}

func (s *service) BodyList(_ context.Context, r api.BodyListRequest) (map[string]api.Node, error) {
	s.got = r.Body
	return map[string]api.Node{"a": {Name: value.Some("x")}}, nil
}

func (s *service) BodyOptNull(_ context.Context, r api.BodyOptNullRequest) (value.Null[int64], error) {
	s.got = r.Body
	v, ok := r.Body.Get()
	if !ok {
		return value.Null[int64]{}, nil
	}
	return value.NotNull(v), nil
}

func (s *service) BodyAny(_ context.Context, r api.BodyAnyRequest) (any, error) {
	return r.Body.Or(nil), nil
}

func (s *service) BodyNamed(_ context.Context, r api.BodyNamedRequest) (api.Level, error) {
	s.got = r.Body
	return api.Level2, nil
}

func (s *service) BodyLevel(_ context.Context, r api.BodyLevelRequest) (api.Level, error) {
	return r.Body.Or(api.Level3), nil
}

func (s *service) BodyForm(_ context.Context, r api.BodyFormRequest) (res *api.BodyFormOKBody, err error) {
	s.got, err = upload(r.Body)
	return &api.BodyFormOKBody{Token: value.Some("t")}, err
}

func (s *service) BodyFormMap(_ context.Context, r api.BodyFormMapRequest) error {
	s.got = r.Body
	return nil
}

func (s *service) BodyParts(_ context.Context, r api.BodyPartsRequest) (res server.Body, err error) {
	s.got, err = upload(r.Body)
	s.heads = r.PartHeaders
	return server.Body{Reader: strings.NewReader("--x--"), ContentType: "multipart/mixed; boundary=x"}, err
}

func (s *service) BodyPartMap(_ context.Context, r api.BodyPartMapRequest) error {
	s.got = r.Body
	return nil
}

func (s *service) BodyVoid(_ context.Context, r api.BodyVoidRequest) error {
	s.got = r.Body
	return nil
}

func (s *service) BodyMoney(_ context.Context, r api.BodyMoneyRequest) (big.Int, error) {
	return r.Body, nil
}

func (s *service) StreamObjects(_ context.Context, r api.StreamObjectsRequest) (*api.StreamObjectsResponse, error) {
	all, err := collect(r.Body)
	s.got = all
	v := &api.StreamObjectsResponse{Body: func(yield func(api.Event, error) bool) {
		e := api.Event{Event: api.EventEventA, Data: &api.EventData{N: value.Some[int64](1)}, ID: value.Some("7")}
		_ = yield(e, nil) && yield(api.Event{Event: api.EventEventB, Data: &api.EventData{}}, nil)
	}}
	v.XA.Set("h")
	return v, err
}

func (s *service) StreamText(context.Context) (api.StreamTextResult, error) {
	return &api.StreamTextOKEvents{Body: func(yield func(string, error) bool) { _ = yield("a\nb", nil) && yield("c", nil) }}, nil
}

func (s *service) StreamSeq(_ context.Context, r api.StreamSeqRequest) (iter.Seq2[value.Null[int64], error], error) {
	all, err := collect(r.Body)
	s.got = all
	return func(yield func(value.Null[int64], error) bool) {
		_ = yield(value.NotNull[int64](1), nil) && yield(value.Null[int64]{}, nil)
	}, err
}

func (s *service) Same(_ context.Context, r api.SameRequest) (*api.SameResponse, error) {
	if r.Body == nil {
		return &api.SameResponse{Body: api.Node{Name: value.Some("none")}}, nil
	}
	return &api.SameResponse{StatusCode: 202, Body: *r.Body}, nil
}

func (s *service) Media(context.Context) (server.Body, error) {
	return server.Body{Reader: strings.NewReader("pdf"), ContentType: "application/pdf"}, nil
}

func (s *service) Empty(context.Context) (*api.EmptyResponse, error) {
	return &api.EmptyResponse{StatusCode: 202}, nil
}

func (s *service) Failing(context.Context) error { return &api.FailingBadRequest{} }
func (s *service) One(context.Context) error     { s.got = "one"; return nil }
func (s *service) Two(context.Context) error     { s.got = "two"; return nil }

var ctx = context.Background()

// same compares values, their private parts included.
var same = cmp.Options{cmp.Exporter(func(t reflect.Type) bool { return t != reflect.TypeFor[big.Int]() }), cmp.Comparer(func(a, b big.Int) bool { return a.Cmp(&b) == 0 })}

func start(t *testing.T) (*api.Client, *service) {
	t.Helper()
	svc := &service{}
	s := httptest.NewServer(api.NewHandler(svc, server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: "me", Scopes: []string{"read", "write"}}, nil
	})))
	t.Cleanup(s.Close)
	c, err := api.New(client.BaseURL(s.URL), client.Bearer(api.SchemeOauth, "token"))
	if err != nil {
		t.Fatal(err)
	}
	return c, svc
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		var status *client.StatusError
		if errors.As(err, &status) {
			t.Logf("%s", status.Body)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func node(name string) api.Node { return api.Node{Name: value.Some(name)} }

func TestParams(t *testing.T) {
	c, svc := start(t)
	deep := node("a")
	next, kid := node("b"), node("c")
	deep.Next, deep.Kids = &next, []api.Node{kid}
	n := int64(5)
	req := api.ParamsRequest{
		Node: &deep, Tags: api.Tags{"x", "y"}, Labels: api.Labels{"a": 1, "b": 2},
		Shut:  api.Shut{A: value.Present("s"), B: []value.Null[int64]{value.NotNull[int64](1)}},
		Limit: &api.Limit{Integer: &n}, Pair: &api.Pair{First: 1, Second: "s", Rest: []bool{true}},
		Level: value.Some(api.Level3), Levels: []api.Level{api.Level1}, Money: value.Some(*big.NewInt(77)),
		Anything: value.Some[any]("free"), Nullable: value.Some[int64](4), Nulls: []value.Null[int64]{value.NotNull[int64](8)},
		JSON: []api.Node{node("j")}, Maybe: &api.ParamsMaybe{A: value.Some("m")}, Text: value.Some("plain"),
		Old: value.Some(true), BodyQuery: value.Some("b"), XLabels: api.Labels{"h": 3}, C: []int64{1, 2},
	}
	res := must[*api.ParamsResponse](t)(c.Params(ctx, req))
	// What has one value is that one on the other side.
	req.One, req.Fixed = api.OneOnly, "v1"
	got, ok := svc.got.(api.ParamsRequest)
	if !ok {
		t.Fatalf("the server got %v", svc.got)
	}
	got.Host.Clear() // the transport sets it
	equal(t, "the request", req, got)
	want := &api.ParamsResponse{
		XNode: node("n"), XTags: api.Tags{"a", "b"}, XLabels: api.Labels{"x": 1}, XJSON: &api.Node{Name: value.Some("j")},
		XLevel: value.Some(api.Level(9)), XBytes: []byte{1, 2}, SetCookie: []string{"a=1, 2"}, BodyHeader: value.Some("b"),
	}
	equal(t, "the response", want, res)

	// An object that takes all names does not take those of others.
	req = api.ParamsRequest{Spread: &api.Open{A: "a", Extra: map[string]int64{"extra": 4}}, Shut: api.Shut{A: value.Present("s")}, JSON: []api.Node{}}
	must[*api.ParamsResponse](t)(c.Params(ctx, req))
	equal(t, "an open object", &api.Open{A: "a", Extra: map[string]int64{"extra": 4}}, svc.got.(api.ParamsRequest).Spread)
	equal(t, "a default", []api.Level{api.Level1, api.Level2}, svc.got.(api.ParamsRequest).Levels)
}

func TestOddPaths(t *testing.T) {
	c, svc := start(t)
	req := api.OddRequest{X: api.Level2, Y: api.Tags{"a/b", "c d"}}
	res := must[api.OddResult](t)(c.Odd(ctx, req))
	equal(t, "the request", any(req), svc.got)
	equal(t, "the response", any(&api.Odd2XX{StatusCode: 206, Body: api.Tags{"a/b", "c d"}}), any(res))
	res = must[api.OddResult](t)(c.Odd(ctx, api.OddRequest{X: api.Level1, Y: api.Tags{"a"}}))
	equal(t, "a redirect", any(&api.Odd3XX{StatusCode: 307}), any(res))
	if err := c.OddBare(ctx); err != nil || svc.got != any("bare") {
		t.Errorf("%v, %v", svc.got, err)
	}
	if err := c.Two(ctx); err != nil || svc.got != any("one") {
		t.Errorf("a path that differs in its fragment: %v, %v", svc.got, err)
	}
}

func TestWholeQueries(t *testing.T) {
	c, svc := start(t)
	for _, err := range []error{
		c.QueryJSON(ctx, api.QueryJSONRequest{Q: node("a&b")}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	equal(t, "JSON", any(api.QueryJSONRequest{Q: node("a&b")}), svc.got)
	if err := c.QueryText(ctx, api.QueryTextRequest{Q: value.Some("a b=c&d")}); err != nil {
		t.Error(err)
	}
	equal(t, "text", any(api.QueryTextRequest{Q: value.Some("a b=c&d")}), svc.got)
	if err := c.QueryMap(ctx, api.QueryMapRequest{Q: api.Labels{"a": 1, "b": 2}}); err != nil {
		t.Error(err)
	}
	equal(t, "a form", any(api.QueryMapRequest{Q: api.Labels{"a": 1, "b": 2}}), svc.got)
}

func TestEachMediaType(t *testing.T) {
	c, svc := start(t)
	full := api.Upload{
		File: multipart.FileBytes("f", []byte("file")), Files: []multipart.File{multipart.FileBytes("g", []byte("more"))},
		Level: value.Some(api.Level1), Tags: api.Tags{"t"}, Nodes: []api.Node{node("n")}, Count: value.Some[int64](9),
	}
	inner := node("in")
	full.Node = &inner
	rest := full
	rest.File, rest.Files, rest.Note = multipart.File{}, nil, value.Present("none")
	image := multipart.FileBytes("", []byte("px"))
	image.ContentType = "image/gif"
	a := node("a")
	numbers := func(yield func(int64, error) bool) { _ = yield(1, nil) && yield(2, nil) }
	texts := func(yield func(string, error) bool) { yield("e", nil) }
	for what, tt := range map[string]struct {
		body api.BodiesRequestBody
		want any
	}{
		"none":      {api.BodiesRequestBody{}, nil},
		"JSON":      {api.BodiesRequestBody{JSON: &api.Choice{Node: &a}}, nil},
		"null":      {api.BodiesRequestBody{ProblemJSON: value.NullOf[[]int64]()}, nil},
		"list":      {api.BodiesRequestBody{ProblemJSON: value.Present([]int64{1})}, nil},
		"form":      {api.BodiesRequestBody{Form: &api.Shut{A: value.Present("x"), B: []value.Null[int64]{value.NotNull[int64](1)}}}, nil},
		"multipart": {api.BodiesRequestBody{Multipart: &full}, seen{File: "file", Files: []string{"more"}, Rest: rest}},
		"text":      {api.BodiesRequestBody{Text: value.Some(api.Level2)}, nil},
		"CSV":       {api.BodiesRequestBody{CSV: value.Some("a,b")}, nil},
		"XML":       {api.BodiesRequestBody{XML: strings.NewReader("<a/>")}, "<a/>"},
		"image":     {api.BodiesRequestBody{Image: image}, "image/gif px"},
		"lines":     {api.BodiesRequestBody{Ndjson: numbers}, []int64{1, 2}},
		"events":    {api.BodiesRequestBody{Events: texts}, []string{"e"}},
	} {
		if tt.want == nil {
			tt.want = tt.body
		}
		if _, err := c.Bodies(ctx, api.BodiesRequest{Body: tt.body}); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		equal(t, what, tt.want, svc.got)
	}
}

func TestBodies(t *testing.T) {
	c, svc := start(t)
	equal(t, "raw", value.Raw(`{"a":[1,2]}`), must[value.Raw](t)(c.BodyRaw(ctx, api.BodyRawRequest{Body: value.Raw(`{"a":[1,2]}`)})))
	equal(t, "null", []value.Null[string]{{}}, must[[]value.Null[string]](t)(c.BodyNull(ctx, api.BodyNullRequest{})))
	equal(t, "not null", []value.Null[string]{value.NotNull("xy"), {}},
		must[[]value.Null[string]](t)(c.BodyNull(ctx, api.BodyNullRequest{Body: &api.BodyNullBody{A: value.Some("xy")}})))
	equal(t, "list", map[string]api.Node{"a": node("x")}, must[map[string]api.Node](t)(c.BodyList(ctx, api.BodyListRequest{Body: []int64{1}})))
	equal(t, "list", any([]int64{1}), svc.got)
	must[map[string]api.Node](t)(c.BodyList(ctx, api.BodyListRequest{}))
	equal(t, "no list", any([]int64(nil)), svc.got)
	for _, v := range []value.OptNull[int64]{{}, value.NullOf[int64](), value.Present[int64](5)} {
		must[value.Null[int64]](t)(c.BodyOptNull(ctx, api.BodyOptNullRequest{Body: v}))
		equal(t, "optional and nullable", any(v), svc.got)
	}
	equal(t, "any", any(map[string]any{"a": value.Number("1")}), must[any](t)(c.BodyAny(ctx, api.BodyAnyRequest{Body: value.Some[any](map[string]any{"a": 1})})))
	equal(t, "no any", any(nil), must[any](t)(c.BodyAny(ctx, api.BodyAnyRequest{})))
	equal(t, "named", api.Level2, must[api.Level](t)(c.BodyNamed(ctx, api.BodyNamedRequest{Body: api.Tags{"a"}})))
	equal(t, "text of a number", api.Level1, must[api.Level](t)(c.BodyLevel(ctx, api.BodyLevelRequest{Body: value.Some(api.Level1)})))
	equal(t, "no text", api.Level3, must[api.Level](t)(c.BodyLevel(ctx, api.BodyLevelRequest{})))
	equal(t, "money", *big.NewInt(5), must[big.Int](t)(c.BodyMoney(ctx, api.BodyMoneyRequest{Body: *big.NewInt(5)})))
	if err := c.BodyFormMap(ctx, api.BodyFormMapRequest{Body: api.Labels{"a": 1, "b": 2}}); err != nil {
		t.Error(err)
	}
	equal(t, "a form of any fields", any(api.Labels{"a": 1, "b": 2}), svc.got)
	parts := map[string]api.Node{"p": node("1"), "q": node("2")}
	if err := c.BodyPartMap(ctx, api.BodyPartMapRequest{Body: parts}); err != nil {
		t.Error(err)
	}
	equal(t, "parts of any names", any(parts), svc.got)
}

func TestForms(t *testing.T) {
	c, svc := start(t)
	n := node("deep")
	u := api.Upload{
		File: multipart.FileBytes("f", []byte("a&b")), Level: value.Some(api.Level2), Tags: api.Tags{"x", "y"},
		Nodes: []api.Node{node("1"), node("2")}, Node: &n, Note: value.Present("hi"), Count: value.Some[int64](0),
	}
	rest := u
	rest.File = multipart.File{}
	form := must[*api.BodyFormOKBody](t)(c.BodyForm(ctx, api.BodyFormRequest{Body: &u}))
	equal(t, "a urlencoded form", any(seen{File: "a&b", Rest: rest}), svc.got)
	equal(t, "the form of the response", value.Some("t"), form.Token)
	heads := api.BodyPartsPartHeaders{File: api.BodyPartsFileHeaders{XPart: value.Some("h")}}
	body := must[*client.Body](t)(c.BodyParts(ctx, api.BodyPartsRequest{Body: &u, PartHeaders: heads}))
	equal(t, "a multipart form", any(seen{File: "a&b", Rest: rest}), svc.got)
	equal(t, "the headers of a part", any(heads), svc.heads)
	if err := body.Close(); err != nil || body.ContentType != "multipart/mixed; boundary=x" {
		t.Errorf("%s, %v", body.ContentType, err)
	}
}

func TestStreams(t *testing.T) {
	c, svc := start(t)
	sent := []api.TextEvent{{Event: value.Some(api.TextEventEventX), Data: value.Some("hello")}, {Data: value.Some("{}")}}
	res := must[*api.StreamObjectsResponse](t)(c.StreamObjects(ctx, api.StreamObjectsRequest{Body: func(yield func(api.TextEvent, error) bool) {
		_ = yield(sent[0], nil) && yield(sent[1], nil)
	}}))
	equal(t, "the events that were sent", any(sent), svc.got)
	equal(t, "the events that came", []api.Event{
		{Event: api.EventEventA, Data: &api.EventData{N: value.Some[int64](1)}, ID: value.Some("7")},
		// The id stays in force until another one comes.
		{Event: api.EventEventB, Data: &api.EventData{}, ID: value.Some("7")},
	}, must[[]api.Event](t)(collect(res.Body)))
	equal(t, "the header", value.Some("h"), res.XA)

	stream := must[api.StreamTextResult](t)(c.StreamText(ctx))
	events, ok := stream.(*api.StreamTextOKEvents)
	if !ok {
		t.Fatalf("%T", stream)
	}
	equal(t, "texts", []string{"a\nb", "c"}, must[[]string](t)(collect(events.Body)))

	seq := must[*client.Stream[value.Null[int64]]](t)(c.StreamSeq(ctx, api.StreamSeqRequest{Body: func(yield func(api.Node, error) bool) { yield(node("s"), nil) }}))
	equal(t, "a sequence", []value.Null[int64]{value.NotNull[int64](1), {}}, must[[]value.Null[int64]](t)(collect(seq.All())))
	equal(t, "the sequence that was sent", any([]api.Node{node("s")}), svc.got)
}

func TestStatuses(t *testing.T) {
	c, _ := start(t)
	a := node("a")
	equal(t, "one type under several statuses", &api.SameResponse{StatusCode: 202, Body: a}, must[*api.SameResponse](t)(c.Same(ctx, api.SameRequest{Body: &a})))
	equal(t, "the first is the default", &api.SameResponse{StatusCode: 200, Body: node("none")}, must[*api.SameResponse](t)(c.Same(ctx, api.SameRequest{})))
	equal(t, "no body", &api.EmptyResponse{StatusCode: 202}, must[*api.EmptyResponse](t)(c.Empty(ctx)))
	equal(t, "HEAD", &api.RootHeadResponse{XA: value.Some[int64](4)}, must[*api.RootHeadResponse](t)(c.RootHead(ctx)))
	equal(t, "default alone", &api.RootOptionsDefault{StatusCode: 203, Body: []any{"x"}}, must[*api.RootOptionsDefault](t)(c.RootOptions(ctx)))
	body := must[*client.Body](t)(c.Media(ctx))
	if err := body.Close(); err != nil || body.ContentType != "application/pdf" {
		t.Errorf("%s, %v", body.ContentType, err)
	}
	_, err := c.Root(ctx)
	var several *api.Several
	if !errors.As(err, &several) || several.StatusCode != 503 || several.BodyText.Or("") != "too late" || several.Error() != "503 Service Unavailable: one of …" {
		t.Errorf("%v, %v", several, err)
	}
	var bad *api.FailingBadRequest
	if err := c.Failing(ctx); !errors.As(err, &bad) || bad.Error() != "400 Bad Request: a" {
		t.Errorf("%v", err)
	}
	var status *client.StatusError
	if err := c.RootTrace(ctx); !errors.As(err, &status) || status.StatusCode != 501 {
		t.Errorf("TRACE, which is not implemented and declares nothing: %v", err)
	}
}

func TestCallbackURL(t *testing.T) {
	r := &api.HookRequest{Cb: value.Some("7"), Body: &api.HookBody{URL: value.Some("https://x.example/in")}}
	if url, err := api.HookDoneURL(r); url != "https://x.example/in?id=7" || err != nil {
		t.Errorf("%s, %v", url, err)
	}
	if _, err := api.HookDoneURL(&api.HookRequest{}); err == nil {
		t.Error("a request without the address has one")
	}
}
