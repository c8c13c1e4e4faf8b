package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func TestMediaKinds(t *testing.T) {
	object, text, binary, anything := ir.KindStruct, ir.KindScalar, ir.KindBinary, ir.KindAny
	tests := []struct {
		key    string
		shape  ir.Kind
		schema bool
		want   ir.ContentKind
	}{
		{"application/json", object, true, ir.ContentJSON},
		{"APPLICATION/JSON", object, true, ir.ContentJSON},
		{"application/json; charset=utf-8", anything, false, ir.ContentJSON},
		{"application/hal+json;profile=x", object, true, ir.ContentJSON},
		{"application/problem+json", object, true, ir.ContentJSON},
		{"application/vnd.acme.v2+json", object, true, ir.ContentJSON},
		{"text/json", object, true, ir.ContentJSON},
		{"application/json", binary, true, ir.ContentBinary},
		{"application/x-www-form-urlencoded", object, true, ir.ContentForm},
		{"multipart/form-data", object, true, ir.ContentMultipart},
		{"multipart/mixed", object, true, ir.ContentMultipart},
		{"text/plain", text, true, ir.ContentText},
		{"text/csv", anything, false, ir.ContentText},
		{"text/csv", binary, true, ir.ContentBinary},
		{"application/octet-stream", binary, true, ir.ContentBinary},
		{"image/png", anything, false, ir.ContentBinary},
		{"image/*", binary, true, ir.ContentBinary},
		{"image/svg+xml", anything, false, ir.ContentXML},
		{"application/xml", object, true, ir.ContentXML},
		{"text/xml", object, true, ir.ContentXML},
		{"application/yaml", object, true, ir.ContentBinary},
		{"text/event-stream", object, true, ir.ContentEvents},
		{"application/x-ndjson", object, true, ir.ContentLines},
		{"application/jsonl", object, true, ir.ContentLines},
		{"application/json-seq", object, true, ir.ContentLines},
		{"application/geo+json-seq", object, true, ir.ContentLines},
		{"*/*", object, true, ir.ContentJSON},
		{"*/*", ir.KindArray, true, ir.ContentJSON},
		{"*/*", text, true, ir.ContentText},
		{"*/*", binary, true, ir.ContentBinary},
		{"*/*", anything, false, ir.ContentBinary},
		{"application/*", object, true, ir.ContentJSON},
		{"not a media type", object, true, ir.ContentBinary},
	}
	for _, test := range tests {
		if got := parseMediaType(test.key).kind(test.shape, test.schema); got != test.want {
			t.Errorf("%s with shape %d, schema %t: kind %d, want %d", test.key, test.shape, test.schema, got, test.want)
		}
	}
}

func mediaKeys(contents []*ir.Content) string {
	var out []string
	for _, c := range contents {
		out = append(out, c.MediaType)
	}
	return strings.Join(out, " | ")
}

func TestVendorJSON(t *testing.T) {
	got := lowerCase(t, "076-content-vendor-json-charset", Options{})
	ok := got.response("p", "200").Contents
	if want := "application/json; charset=utf-8 | application/hal+json | application/vnd.acme.v2+json"; mediaKeys(ok) != want {
		t.Errorf("content types %s, want %s", mediaKeys(ok), want)
	}
	for _, c := range ok {
		if c.Kind != ir.ContentJSON || c.Use == nil {
			t.Errorf("%s: kind %d, use %v", c.MediaType, c.Kind, c.Use)
		}
	}
	if r := got.response("p", "4XX"); r.Contents[0].Use.Type.ID != "#/components/schemas/Problem" {
		t.Errorf("problem: %s", r.Contents[0].Use.Type.ID)
	}
}

func TestWildcards(t *testing.T) {
	got := lowerCase(t, "077-content-wildcards", Options{})
	op := got.op("img")
	if c := op.Body.Contents[0]; c.MediaType != "image/*" || c.Kind != ir.ContentBinary || !op.Body.Required {
		t.Errorf("body %+v", c)
	}
	if want := "image/* | */*"; mediaKeys(op.Responses[0].Contents) != want {
		t.Errorf("content types %s", mediaKeys(op.Responses[0].Contents))
	}
}

// Media types that differ only in parameters cannot be told apart: the first is used.
func TestDuplicateMediaTypes(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    get:
      operationId: a
      responses:
        '200':
          description: ok
          content:
            application/json: {schema: {type: string}}
            Application/JSON;stream=watch: {schema: {type: string}}
            application/json; version=2: {schema: {type: integer}}
            jsn: {schema: {type: string}}
`, Options{})
	got.noErrors()
	if keys := mediaKeys(got.response("a", "200").Contents); keys != "application/json | jsn" {
		t.Errorf("content types %s", keys)
	}
	got.says(diag.Note, "Application/JSON;stream=watch", "with the same schema")
	got.says(diag.Warning, "application/json; version=2", "the schema of the first is used")
	got.says(diag.Warning, `"jsn" is not a media type`)
}

func TestTextAndBinary(t *testing.T) {
	got := lowerCase(t, "074-text-plain-and-binary", Options{})
	got.silent()
	if c := got.op("putNote").Body.Contents[0]; c.Kind != ir.ContentText || c.Use.Type.Scalar != ir.String {
		t.Errorf("%+v", c)
	}
	if r := got.response("putNote", "200"); len(r.Headers) != 1 || r.Headers[0].Name != "X-Lines" {
		t.Errorf("headers %v", r.Headers)
	}
	if c := got.response("getBlob", "200").Contents[0]; c.Kind != ir.ContentBinary || c.Use != nil {
		t.Errorf("%+v", c)
	}
}

// What cannot be decoded is a stream of bytes, with a warning at each place.
func TestOpaqueBodies(t *testing.T) {
	got := lowerCase(t, "122-content-xml-and-others", Options{})
	op := got.op("x")
	if a, b := op.Body.Contents[0], op.Body.Contents[1]; a.Kind != ir.ContentXML || b.Kind != ir.ContentBinary || a.Use != nil || b.Use != nil {
		t.Errorf("body kinds %d, %d", a.Kind, b.Kind)
	}
	if c := op.Responses[0].Contents[0]; c.Kind != ir.ContentBinary {
		t.Errorf("response kind %d", c.Kind)
	}
	if d := got.says(diag.Warning, "POST /x", "application/xml"); d.Pos.Line != 13 {
		t.Errorf("reported at %s", d.Pos)
	}
	got.says(diag.Warning, "POST /x", "application/yaml")
}

func TestOptionalBody(t *testing.T) {
	got := lowerCase(t, "078-optional-request-body", Options{})
	if got.op("opt").Body.Required || !got.op("req").Body.Required {
		t.Error("required of the bodies")
	}
}

func TestBodiesWithoutContent(t *testing.T) {
	for _, body := range []string{"{}", "{content: {}}", "null"} {
		got := lowerText(t, "paths: {/a: {post: {operationId: a, requestBody: "+body+", responses: {'204': {description: ok}}}}}", Options{})
		got.noErrors()
		if got.op("a").Body != nil {
			t.Errorf("%s: there is a body", body)
		}
		if len(got.list) != 1 || !got.list[0].Repair {
			t.Errorf("%s: %v", body, got.list)
		}
	}
}

func TestPlacesOfBodies(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    post:
      operationId: send
      requestBody:
        content:
          application/json: {schema: {type: object, properties: {a: {type: string}}}}
          application/merge-patch+json: {schema: {type: object, properties: {b: {type: string}}}}
          multipart/form-data: {schema: {type: object, properties: {c: {type: string}}}}
      responses:
        '404': {description: no, content: {application/json: {schema: {type: object, properties: {d: {type: string}}}}}}
        default: {$ref: '#/components/responses/Fault'}
components:
  responses:
    Fault: {description: f, content: {application/problem+json: {schema: {type: object, properties: {e: {type: string}}}}}}
`, Options{})
	got.silent()
	want := []string{"send Body", "send merge-patch+json Body", "send Form Body"}
	for i, c := range got.op("send").Body.Contents {
		if name := strings.Join(c.Use.Type.Name, " "); name != want[i] {
			t.Errorf("%s is named %q, want %q", c.MediaType, name, want[i])
		}
	}
	if name := strings.Join(got.response("send", "404").Contents[0].Use.Type.Name, " "); name != "send NotFound Body" {
		t.Errorf("404 is named %q", name)
	}
	if name := strings.Join(got.response("send", "default").Contents[0].Use.Type.Name, " "); name != "Fault Body" {
		t.Errorf("default is named %q", name)
	}
}

func part(t *testing.T, c *ir.Content, name string) *ir.Part {
	t.Helper()
	i := slices.IndexFunc(c.Parts, func(p *ir.Part) bool { return p.Field.Name == name })
	if i < 0 {
		t.Fatalf("no part %s", name)
	}
	return c.Parts[i]
}

// In 3.0 and 3.1 members of a form are written by style; in 3.2 an object goes as
// JSON unless a style is written.
func TestFormParts(t *testing.T) {
	got := lowerCase(t, "073-form-urlencoded", Options{})
	got.silent()
	c := got.op("tok").Body.Contents[0]
	if c.Kind != ir.ContentForm || len(c.Parts) != 4 {
		t.Fatalf("%+v", c)
	}
	want := map[string]ir.Part{
		"a": {Kind: ir.ContentText, Style: "form", Explode: true},
		"n": {Kind: ir.ContentText, Style: "form", Explode: true, Many: true},
		"o": {Kind: ir.ContentText, Style: "form", Explode: true},
		"d": {Kind: ir.ContentText, Style: "deepObject", Explode: true},
	}
	for name, w := range want {
		p := part(t, c, name)
		if p.Kind != w.Kind || p.Style != w.Style || p.Explode != w.Explode || p.Many != w.Many || p.File {
			t.Errorf("%s: %+v", name, p)
		}
	}
	got = lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {o: {type: object, properties: {k: {type: string}}}, j: {type: string}}}
            encoding: {j: {contentType: application/json}}
`, Options{})
	got.silent()
	for _, name := range []string{"o", "j"} {
		if p := part(t, got.op("a").Body.Contents[0], name); p.Kind != ir.ContentJSON || p.Style != "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestMultipartParts(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                file: {type: string, format: binary}
                files: {type: array, items: {type: string, format: binary}}
                untyped: {}
                png: {type: string, contentMediaType: image/png}
                icon: {type: string}
                name: {type: string}
                tags: {type: array, items: {type: string}}
                meta: {type: object, properties: {a: {type: integer}}}
                list: {type: array, items: {type: object, properties: {a: {type: integer}}}}
                json: {type: string}
            encoding:
              icon: {contentType: 'image/png, image/jpeg'}
              json: {contentType: application/json}
              file: {headers: {X-Sum: {schema: {type: string}}, Content-Type: {schema: {type: string}}}}
              gone: {contentType: text/plain}
      responses: {'204': {description: ok}}
`, Options{})
	got.noErrors()
	c := got.op("a").Body.Contents[0]
	want := map[string]ir.Part{
		"file": {Kind: ir.ContentBinary, File: true}, "files": {Kind: ir.ContentBinary, File: true, Many: true},
		"untyped": {Kind: ir.ContentBinary, File: true}, "png": {Kind: ir.ContentBinary, File: true},
		"icon": {Kind: ir.ContentBinary, File: true}, "name": {Kind: ir.ContentText},
		"tags": {Kind: ir.ContentText, Many: true}, "meta": {Kind: ir.ContentJSON},
		"list": {Kind: ir.ContentJSON, Many: true}, "json": {Kind: ir.ContentJSON},
	}
	for name, w := range want {
		if p := part(t, c, name); p.Kind != w.Kind || p.File != w.File || p.Many != w.Many {
			t.Errorf("%s: kind %d file %t many %t, want %d %t %t", name, p.Kind, p.File, p.Many, w.Kind, w.File, w.Many)
		}
	}
	if h := part(t, c, "file").Headers; len(h) != 1 || h[0].Name != "X-Sum" {
		t.Errorf("headers of file: %v", h)
	}
	if p := part(t, c, "icon"); p.ContentType != "image/png, image/jpeg" {
		t.Errorf("content type of icon: %q", p.ContentType)
	}
	got.says(diag.Warning, `encoding of "gone"`)
}

// A form cannot say which alternative it is: the fields of all make one form.
func TestFormOfAlternatives(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              oneOf:
                - {type: object, required: [method, password], properties: {method: {type: string, enum: [p]}, password: {type: string}}}
                - {type: object, required: [method, code], properties: {method: {type: string, enum: [c]}, code: {type: integer}}}
      responses: {'204': {description: ok}}
`, Options{})
	got.noErrors()
	c := got.op("a").Body.Contents[0]
	if c.Kind != ir.ContentForm || c.Use.Type.Kind != ir.KindStruct || !c.Use.Type.Declared || len(c.Parts) != 3 {
		t.Fatalf("%+v", c.Use)
	}
	required := map[string]bool{}
	for _, f := range c.Use.Type.Fields {
		required[f.Name] = f.Required
	}
	if !required["method"] || required["password"] || required["code"] {
		t.Errorf("required: %v", required)
	}
	// Both values of the discriminating member must fit.
	if m := part(t, c, "method").Field.Use.Type; m.Kind != ir.KindScalar || m.Scalar != ir.String {
		t.Errorf("method: %+v", m)
	}
	if !slices.Contains(got.API.Types, c.Use.Type) {
		t.Error("the type of the form is not declared")
	}
	got.says(diag.Warning, "a form does not tell which alternative it is")
}

func TestFormsOfOtherShapes(t *testing.T) {
	doc := func(media, schema string) lowered {
		return lowerText(t, "paths: {/a: {post: {operationId: a, requestBody: {content: {"+media+": "+schema+"}}, responses: {'204': {description: ok}}}}}", Options{})
	}
	got := doc("application/x-www-form-urlencoded", "{schema: {type: object, additionalProperties: {type: string}}}")
	got.silent()
	if c := got.op("a").Body.Contents[0]; c.Kind != ir.ContentForm || c.Use.Type.Kind != ir.KindMap || len(c.Parts) != 0 {
		t.Errorf("map: %+v", c)
	}
	got = doc("multipart/form-data", "{}")
	got.silent()
	if c := got.op("a").Body.Contents[0]; c.Kind != ir.ContentBinary {
		t.Errorf("no schema: kind %d", c.Kind)
	}
	got = doc("multipart/mixed", "{schema: {type: array, items: {type: string}}}")
	got.noErrors()
	got.says(diag.Warning, "multipart/mixed", "stream of bytes")
	if c := got.op("a").Body.Contents[0]; c.Kind != ir.ContentBinary || c.Use != nil {
		t.Errorf("positions: %+v", c)
	}
}

func TestStreams(t *testing.T) {
	got := lowerCase(t, "084-sse-stream", Options{})
	if c := got.response("ticks", "200").Contents[0]; c.Kind != ir.ContentEvents || c.Item == nil || c.Item.Type.ID != "#/components/schemas/Tick" || c.Event != ir.EventData || c.Use != nil {
		t.Errorf("events: %+v", c)
	}
	got = lowerCase(t, "085-ndjson-stream", Options{})
	if c := got.response("lines", "200").Contents[0]; c.Kind != ir.ContentLines || c.Item.Type.Kind != ir.KindStruct {
		t.Errorf("lines: %+v", c)
	}
}

func TestEventItems(t *testing.T) {
	item := func(version, media string) *ir.Content {
		t.Helper()
		got := lowerText(t, "openapi: "+version+"\ninfo: {title: t, version: '1'}\npaths:\n  /a: {get: {operationId: a, responses: {'200': {description: ok, content: {text/event-stream: "+media+"}}}}}\n", Options{})
		got.noErrors()
		return got.response("a", "200").Contents[0]
	}
	tick := "{type: object, required: [n], properties: {n: {type: integer}}}"
	if c := item("3.1.0", "{schema: {type: array, items: "+tick+"}}"); c.Item.Type.Kind != ir.KindStruct {
		t.Errorf("a list of events: %+v", c.Item.Type)
	}
	if c := item("3.1.0", "{schema: {type: string}}"); c.Item != nil {
		t.Errorf("text: %+v", c.Item)
	}
	if c := item("3.1.0", "{}"); c.Item != nil {
		t.Errorf("no schema: %+v", c.Item)
	}
	event := "{type: object, properties: {event: {type: string}, id: {type: string}, data: {type: string, contentMediaType: application/json, contentSchema: " + tick + "}}}"
	if c := item("3.2.0", "{itemSchema: "+event+"}"); c.Event != ir.EventData || c.Item.Type.Kind != ir.KindStruct || c.Item.Type.Fields[0].Name != "n" {
		t.Errorf("JSON in data: %+v", c.Item)
	}
	if c := item("3.2.0", "{itemSchema: {type: object, properties: {event: {type: string}, data: {type: string}}}}"); c.Event != ir.EventText {
		t.Errorf("text in data: form %d", c.Event)
	}
	alternatives := "{oneOf: [{type: object, properties: {event: {const: a}, data: " + tick + "}}, {type: object, properties: {event: {const: b}, data: {type: string}}}]}"
	if c := item("3.1.0", "{schema: "+alternatives+"}"); c.Event != ir.EventObject || c.Item.Type.Kind != ir.KindUnion {
		t.Errorf("alternatives: form %d", c.Event)
	}
	// An object with a member called data is no event when it has others besides.
	if c := item("3.1.0", "{schema: {type: object, properties: {data: {type: string}, total: {type: integer}}}}"); c.Event != ir.EventData {
		t.Errorf("no event: form %d", c.Event)
	}
}

func TestMediaTypeReferences(t *testing.T) {
	got := lowerText(t, `openapi: 3.2.0
info: {title: t, version: '1'}
paths:
  /a: {get: {operationId: a, responses: {'200': {description: ok, content: {application/json: {$ref: '#/components/mediaTypes/M'}}}}}}
components:
  mediaTypes: {M: {schema: {type: integer}}}
`, Options{})
	got.silent()
	if c := got.response("a", "200").Contents[0]; c.Use == nil || c.Use.Type.Kind != ir.KindScalar {
		t.Errorf("%+v", c)
	}
}
