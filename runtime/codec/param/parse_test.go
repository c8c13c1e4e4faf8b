package param_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func query(t *testing.T, raw string) *param.Pairs {
	t.Helper()
	q, err := param.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Delimiters are looked for before anything is decoded.
func TestParseFormLists(t *testing.T) {
	q := query(t, "a=1&a=2&b=x,y&c=p%2Cq,r&e=")
	a, err := param.ParseList(q.Raw("a", form|exp), param.Int64)
	if err != nil || !reflect.DeepEqual(a, []int64{1, 2}) {
		t.Errorf("a: %v, %v", a, err)
	}
	b, err := param.ParseList(q.Raw("b", form), param.String)
	if err != nil || !reflect.DeepEqual(b, []string{"x", "y"}) {
		t.Errorf("b: %v, %v", b, err)
	}
	c, err := param.ParseList(q.Raw("c", form), param.String)
	if err != nil || !reflect.DeepEqual(c, []string{"p,q", "r"}) {
		t.Errorf("c: %v, %v", c, err)
	}
	if _, err := param.ParseList(q.Raw("d", form|exp), param.String); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("d: %v", err)
	}
	e, err := param.ParseList(q.Raw("e", form|exp), param.String)
	if err != nil || !reflect.DeepEqual(e, []string{""}) {
		t.Errorf("e as texts: %v, %v", e, err)
	}
	_, err = param.ParseList(q.Raw("e", form|exp), param.Int64)
	if vs := param.Violations(err, "query", "e"); len(vs) != 1 || vs[0].In != "query" || vs[0].Name != "e" || vs[0].Pointer != "/0" || vs[0].Rule != "type" {
		t.Errorf("e as numbers: %v", vs)
	}
	if _, err := param.Int64.Parse(q.Raw("a", form|exp)); err == nil || !strings.Contains(err.Error(), "more than once") {
		t.Errorf("a as one number: %v", err)
	}
}

func TestParseSpaceAndPipe(t *testing.T) {
	for _, raw := range []string{"s=a%20bc", "s=a+bc"} {
		got, err := param.ParseList(query(t, raw).Raw("s", param.SpaceDelimited), param.String)
		if err != nil || !reflect.DeepEqual(got, []string{"a", "bc"}) {
			t.Errorf("%s: %v, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"p=1%7C2", "p=1%7c2", "p=1|2"} {
		got, err := param.ParseList(query(t, raw).Raw("p", param.PipeDelimited), param.Int64)
		if err != nil || !reflect.DeepEqual(got, []int64{1, 2}) {
			t.Errorf("%s: %v, %v", raw, got, err)
		}
	}
}

// filter has members of every kind.
type filter struct {
	State  value.Opt[string]
	N      int64
	Tags   []string
	Labels map[string]string
	Sub    *filter
	Extra  map[string]string
}

var filterCodec = param.Codec[filter]{Format: formatFilter, Parse: parseFilter}

func formatFilter(v filter) param.Value {
	var m param.Members
	m.Put("state", param.Opt(param.String, v.State))
	m.Put("n", param.IntValue(v.N))
	m.Put("tags", param.ListOf(param.String).Format(v.Tags))
	m.Put("labels", param.MapOf(param.String).Format(v.Labels))
	m.Put("sub", param.Ptr(param.Codec[filter]{Format: formatFilter}, v.Sub))
	param.PutExtra(&m, param.String, v.Extra)
	return m.Value()
}

func parseFilter(r param.Raw) (filter, error) {
	var v filter
	o := r.Object()
	param.GetOpt(o, "state", param.String, &v.State)
	param.Get(o, "n", param.Int64, &v.N)
	param.GetList(o, "tags", param.String, &v.Tags, false)
	param.GetMap(o, "labels", param.String, &v.Labels, false)
	param.GetPtr(o, "sub", param.Codec[filter]{Parse: parseFilter}, &v.Sub)
	param.GetExtra(o, param.String, &v.Extra)
	return v, o.Err()
}

func TestParseDeepObject(t *testing.T) {
	want := filter{
		State: value.Some("open"), N: 3, Tags: []string{"a", "b"}, Labels: map[string]string{"env": "prod"},
		Sub: &filter{N: 4}, Extra: map[string]string{"nope": "1"},
	}
	for _, raw := range []string{
		"f[state]=open&f[n]=3&f[tags][]=a&f[tags][]=b&f[labels][env]=prod&f[sub][n]=4&f[nope]=1&g[state]=shut&f=",
		"f%5Bstate%5D=open&f%5Bn%5D=3&f%5Btags%5D=a&f%5Btags%5D=b&f%5Blabels%5D%5Benv%5D=prod&f%5Bsub%5D%5Bn%5D=4&f%5Bnope%5D=1",
		"f[tags][10]=b&f[tags][2]=a&f[n]=3&f[state]=open&f[labels][env]=prod&f[sub][n]=4&f[nope]=1",
	} {
		raw = strings.TrimSuffix(raw, "&f=")
		got, err := filterCodec.Parse(query(t, raw).Raw("f", param.DeepObject|exp))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v, want\n%+v", raw, got, err, want)
		}
	}
	if _, err := filterCodec.Parse(query(t, "g[state]=shut&fx[n]=1").Raw("f", param.DeepObject|exp)); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("absent: %v", err)
	}
	for raw, say := range map[string]string{
		"f=1":                        "must be an object",
		"f[n]=x&f[sub][n]=y":         "/n: must be an integer",
		"f[state]=a":                 "/n: is required",
		"f[n]=1&f[tags][x]=1":        "/tags: must be a list",
		"f[n]=1&f[state][x]=1":       "/state: must be a single value",
		"f[n]=1&f[n]=2":              "/n: is given more than once",
		"f[n]=1&f[labels][a][b]=%zz": "/labels/a: must be a single value",
	} {
		_, err := filterCodec.Parse(query(t, raw).Raw("f", param.DeepObject|exp))
		if err == nil || errors.Is(err, param.ErrAbsent) || !strings.Contains(param.At(err, "query", "f").Error(), say) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// All members that are wrong are reported in one go.
func TestParseCollects(t *testing.T) {
	_, err := filterCodec.Parse(query(t, "f[n]=x&f[sub][n]=y&f[sub][tags][a]=b").Raw("f", param.DeepObject|exp))
	var list *check.Error
	if !errors.As(err, &list) || len(list.Violations) != 3 {
		t.Fatalf("%v", err)
	}
	for i, want := range []string{"/n", "/sub/n", "/sub/tags"} {
		if list.Violations[i].Pointer != want {
			t.Errorf("%d: %s, want %s", i, list.Violations[i].Pointer, want)
		}
	}
}

func TestParseExplodedObject(t *testing.T) {
	q := query(t, "n=3&state=open&tags=a&tags=b&x=1&page=2&g[a]=1")
	q.Reserve("page", "g")
	got, err := filterCodec.Parse(q.Raw("f", form|exp))
	want := filter{State: value.Some("open"), N: 3, Tags: []string{"a", "b"}, Extra: map[string]string{"x": "1"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	q = query(t, "page=2")
	q.Reserve("page")
	if _, err := filterCodec.Parse(q.Raw("f", form|exp)); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("absent: %v", err)
	}
}

func TestParseDelimitedObjects(t *testing.T) {
	type color struct{ R, G int64 }
	codec := param.Codec[color]{Parse: func(r param.Raw) (color, error) {
		var v color
		o := r.Object()
		param.Get(o, "R", param.Int64, &v.R)
		param.Get(o, "G", param.Int64, &v.G)
		o.Closed()
		return v, o.Err()
	}}
	raws := map[string]param.Raw{
		"simple":          param.PathRaw("c", "R,1,G,2", simple),
		"simple exploded": param.PathRaw("c", "R=1,G=2", simple|exp),
		"label":           param.PathRaw("c", ".R,1,G,2", label),
		"label exploded":  param.PathRaw("c", ".R=1.G=2", label|exp),
		"matrix":          param.PathRaw("c", ";c=R,1,G,2", matrix),
		"matrix exploded": param.PathRaw("c", ";R=1;G=2", matrix|exp),
		"form":            query(t, "c=R,1,G,2").Raw("c", form),
		"space":           query(t, "c=R%201+G%202").Raw("c", param.SpaceDelimited),
		"pipe":            query(t, "c=R|1%7CG|2").Raw("c", param.PipeDelimited),
		"header":          param.HeaderRaw([]string{"R, 1", "G,2"}, simple),
		"header exploded": param.HeaderRaw([]string{"R=1, G=2"}, simple|exp),
	}
	for name, raw := range raws {
		if got, err := codec.Parse(raw); err != nil || got != (color{1, 2}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for text, say := range map[string]string{
		"R,1,G": "value for each", "R,1": "/G: is required", "R,1,G,2,B,3": "/B: is not a known", "R,1,R,2,G,3": "/R: is given more than once",
	} {
		if _, err := codec.Parse(param.PathRaw("c", text, simple)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestParsePathStyles(t *testing.T) {
	for text, style := range map[string]param.Style{
		"3,4": simple, ".3.4": label | exp, ".3,4": label, ";ids=3;ids=4": matrix | exp, ";ids=3,4": matrix,
	} {
		got, err := param.ParseList(param.PathRaw("ids", text, style), param.Int64)
		if err != nil || !reflect.DeepEqual(got, []int64{3, 4}) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, style := range map[string]param.Style{
		"3.4": label | exp, "ids=3": matrix, ";id=3": matrix, ";id=3;ids=4": matrix | exp, "x": matrix | exp,
	} {
		if _, err := param.ParseList(param.PathRaw("ids", text, style), param.Int64); err == nil || !strings.Contains(err.Error(), "must begin with") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got, err := param.String.Parse(param.PathRaw("id", "a%3Ab%2Fc+d", simple)); err != nil || got != "a:b/c+d" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := param.String.Parse(param.PathRaw("id", "", simple)); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("empty: %v", err)
	}
	if got, err := param.Int64.Parse(param.PathRaw("id", ";id=7", matrix)); err != nil || got != 7 {
		t.Errorf("matrix: %v, %v", got, err)
	}
}

func TestParseHeadersAndCookies(t *testing.T) {
	got, err := param.ParseList(param.HeaderRaw([]string{"3, 4", " 5 ,"}, simple), param.Int64)
	if err != nil || !reflect.DeepEqual(got, []int64{3, 4, 5}) {
		t.Errorf("lines: %v, %v", got, err)
	}
	if _, err := param.ParseList(param.HeaderRaw([]string{" "}, simple), param.Int64); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("blank: %v", err)
	}
	if _, err := param.String.Parse(param.HeaderRaw(nil, simple)); !errors.Is(err, param.ErrAbsent) {
		t.Errorf("absent: %v", err)
	}
	if s, err := param.String.Parse(param.HeaderRaw([]string{" a%20b "}, simple)); err != nil || s != "a%20b" {
		t.Errorf("text: %q, %v", s, err)
	}
	c, err := param.ParseCookies([]string{`sid=s1; prefs=a,b; q="x y"`, "t=a=b"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"sid": "s1", "q": "x y", "t": "a=b"} {
		if s, err := param.String.Parse(c.Raw(name, form)); err != nil || s != want {
			t.Errorf("cookie %s: %q, %v", name, s, err)
		}
	}
	prefs, err := param.ParseList(c.Raw("prefs", form), param.String)
	if err != nil || !reflect.DeepEqual(prefs, []string{"a", "b"}) {
		t.Errorf("prefs: %v, %v", prefs, err)
	}
}

func TestErrorsHideValues(t *testing.T) {
	q := query(t, "k=hunter2")
	_, err := param.Int64.Parse(q.Raw("k", form))
	if text := param.At(err, "query", "k").Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "query k") {
		t.Error(text)
	}
	vs := param.Violations(errors.New("bad token hunter2"), "query", "k")
	if len(vs) != 1 || strings.Contains(vs[0].Detail, "hunter2") {
		t.Error(vs)
	}
	if vs := param.Violations(param.ErrAbsent, "header", "X-Trace-Id"); len(vs) != 1 || vs[0].Rule != "required" || vs[0].Name != "X-Trace-Id" {
		t.Error(vs)
	}
	if param.Violations(nil, "a", "b") != nil || param.At(nil, "a", "b") != nil {
		t.Error("no error has violations")
	}
}

func TestBounds(t *testing.T) {
	if _, err := param.ParseQuery(strings.Repeat("a&", param.MaxPairs)); err == nil {
		t.Error("too many pairs are taken")
	}
	deep := "f" + strings.Repeat("[a]", 100_000) + "=1"
	if _, err := param.Any.Parse(query(t, deep).Raw("f", param.DeepObject|exp)); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("depth: %v", err)
	}
	deep = "f" + strings.Repeat("[sub]", 100_000) + "=1"
	if _, err := filterCodec.Parse(query(t, deep).Raw("f", param.DeepObject|exp)); err == nil {
		t.Error("a filter of any depth is taken")
	}
}

func TestParseAny(t *testing.T) {
	q := query(t, "f[a]=1&f[b][]=x&f[b][]=y&f[c][d]=e&g=z&h=1&h=2")
	got, err := param.Any.Parse(q.Raw("f", param.DeepObject|exp))
	want := map[string]any{"a": "1", "b": []any{"x", "y"}, "c": map[string]any{"d": "e"}}
	if err != nil || !reflect.DeepEqual(got, any(want)) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := param.Any.Parse(q.Raw("g", form|exp)); err != nil || got != "z" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := param.Any.Parse(q.Raw("h", form|exp)); err != nil || !reflect.DeepEqual(got, any([]any{"1", "2"})) {
		t.Errorf("%v, %v", got, err)
	}
}

// A parameter whose content is JSON.
func TestJSON(t *testing.T) {
	c := param.JSON(json.Map(json.Slice(json.Int64)))
	const want = "where=%7B%22a%22%3A%5B1%5D%7D"
	text, err := appendIn("query", "where", form|exp, c.Format(map[string][]int64{"a": {1}}))
	if err != nil || text != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	for _, raw := range []string{want, "where={%22a%22:+[1]}"} {
		got, err := c.Parse(query(t, raw).Raw("where", form|exp))
		if err != nil || !reflect.DeepEqual(got, map[string][]int64{"a": {1}}) {
			t.Errorf("%s: %v, %v", raw, got, err)
		}
	}
	_, err = c.Parse(query(t, "where={").Raw("where", form|exp))
	if vs := param.Violations(err, "query", "where"); len(vs) != 1 || vs[0].Name != "where" || vs[0].Detail != "must be JSON" {
		t.Errorf("%v", vs)
	}
	_, err = c.Parse(query(t, `where={"a":["x"]}`).Raw("where", form|exp))
	if vs := param.Violations(err, "query", "where"); len(vs) != 1 || vs[0].Pointer != "/a/0" || vs[0].In != "query" {
		t.Errorf("%v", vs)
	}
}
