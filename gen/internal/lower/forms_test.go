package lower

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// bodies lowers one content as a request and as a response.
func bodies(t *testing.T, version, media, content string) (lowered, [2]*ir.Content) {
	t.Helper()
	got := lowerText(t, "openapi: "+version+"\ninfo: {title: t, version: '1'}\npaths: {/a: {post: {operationId: a, requestBody: {content: {'"+media+"': "+content+
		"}}, responses: {'200': {description: ok, content: {'"+media+"': "+content+"}}}}}}\n", Options{})
	got.noErrors()
	op := got.op("a")
	return got, [2]*ir.Content{op.Body.Contents[0], op.Responses[0].Contents[0]}
}

// Requests and responses read every content the same: typed, or with a warning at its
// position. want is the kind, and says the words of the warning; without any there is
// none.
func TestEveryContentIsTypedOrWarned(t *testing.T) {
	const object = "schema: {type: object, properties: {a: {type: string}}}"
	for _, c := range []struct {
		media, content string
		want           ir.ContentKind
		says           string
	}{
		{"application/json", "{" + object + "}", ir.ContentJSON, ""},
		{"application/json", "{" + object + ", encoding: {a: {contentType: text/plain}}}", ir.ContentJSON, "encoding is for forms and multipart"},
		{"text/plain", "{schema: {type: string}, encoding: {}}", ir.ContentText, "encoding is for forms and multipart"},
		{"text/plain", "{" + object + "}", ir.ContentText, "its schema is not used"},
		{"application/xml", "{" + object + "}", ir.ContentXML, "passed as a stream of bytes"},
		{"application/pdf", "{" + object + "}", ir.ContentBinary, "passed as a stream of bytes"},
		{"application/pdf", "{}", ir.ContentBinary, ""},
		{"application/x-www-form-urlencoded", "{" + object + "}", ir.ContentForm, ""},
		{"application/x-www-form-urlencoded", "{" + object + ", encoding: {a: {headers: {X-A: {schema: {type: string}}}}}}", ir.ContentForm, "only parts of a multipart body have headers"},
		{"application/x-www-form-urlencoded", "{encoding: {a: {style: form}}}", ir.ContentBinary, "encoding is ignored"},
		{"application/x-www-form-urlencoded", "{schema: {type: array, items: {type: string}}}", ir.ContentBinary, "passed as a stream of bytes"},
		{"application/x-www-form-urlencoded", "{schema: {type: object, properties: {o: {type: object, properties: {b: {type: string}}}}}, encoding: {o: {contentType: application/xml}}}", ir.ContentForm, "written as JSON"},
		{"application/x-www-form-urlencoded", "{schema: {type: object, properties: {id: {type: string}, o: {type: object, properties: {id: {type: string}}}}}}", ir.ContentForm, "would meet another field id: it is written as JSON"},
		{"application/x-www-form-urlencoded", "{schema: {type: object, properties: {id: {type: string}, o: {type: object, properties: {id: {type: string}}}}}, encoding: {o: {explode: true}}}", ir.ContentForm, "neither can be told from the other"},
		{"multipart/form-data", "{" + object + "}", ir.ContentMultipart, ""},
		{"multipart/mixed", "{" + object + "}", ir.ContentMultipart, ""},
		{"multipart/related", "{" + object + "}", ir.ContentMultipart, ""},
		{"multipart/mixed", "{schema: {type: array, items: {type: string}}}", ir.ContentBinary, "parts that have a position instead of a name"},
		{"multipart/mixed", "{schema: {type: string, format: binary}}", ir.ContentBinary, ""},
		{"multipart/mixed", "{" + object + ", encoding: {a: {headers: {Content-Disposition: {schema: {type: string}}}}}}", ir.ContentMultipart, "is written from the name of the part"},
		{"multipart/mixed", "{schema: {type: object, properties: {o: {type: object, properties: {b: {type: string}}}}}, encoding: {o: {contentType: application/xml}}}", ir.ContentMultipart, "passed as a file of that content type"},
		{"application/x-ndjson", "{" + object + "}", ir.ContentLines, ""},
		{"text/event-stream", "{" + object + "}", ir.ContentEvents, ""},
		{"image/*", "{schema: {type: string, format: binary}}", ir.ContentBinary, ""},
	} {
		got, both := bodies(t, "3.0.3", c.media, c.content)
		for _, one := range both {
			if one.Kind != c.want {
				t.Errorf("%s %s: kind %d, want %d", c.media, c.content, one.Kind, c.want)
			}
		}
		n := 0
		for _, d := range got.list {
			if strings.Contains(d.Message, c.says) && d.Severity == diag.Warning {
				n++
			}
			if d.Pos.Line == 0 || d.Pos.Col == 0 {
				t.Errorf("%s %s: %s has no position", c.media, c.content, d.Message)
			}
		}
		if c.says == "" && len(got.list) > 0 || c.says != "" && n != 2 {
			t.Errorf("%s %s: %d warnings of %q in %v", c.media, c.content, n, c.says, got.list)
		}
	}
}

// What 3.2 adds: items and positions.
func TestContentsOfItems(t *testing.T) {
	for _, c := range []struct {
		media, content string
		want           ir.ContentKind
		says           string
	}{
		{"application/jsonl", "{itemSchema: {type: integer}}", ir.ContentLines, ""},
		{"application/jsonl", "{schema: {type: array, items: {type: integer}}, itemSchema: {type: integer}}", ir.ContentLines, "schema is not used beside itemSchema"},
		{"multipart/mixed", "{itemSchema: {type: object}}", ir.ContentBinary, "itemSchema is not used"},
		{"multipart/mixed", "{itemSchema: {type: object}, itemEncoding: {contentType: application/json}}", ir.ContentBinary, "parts that have a position"},
		{"multipart/mixed", "{schema: {type: array}, prefixEncoding: [{contentType: application/json}]}", ir.ContentBinary, "parts that have a position"},
		{"application/json", "{itemSchema: {type: object}, itemEncoding: {}}", ir.ContentJSON, "itemEncoding is for forms and multipart"},
	} {
		got, both := bodies(t, "3.2.0", c.media, c.content)
		if both[0].Kind != c.want || both[1].Kind != c.want {
			t.Errorf("%s %s: kinds %d and %d, want %d", c.media, c.content, both[0].Kind, both[1].Kind, c.want)
		}
		if c.says == "" {
			got.silent()
			continue
		}
		got.says(diag.Warning, c.says)
	}
}

// A response whose schema names no part may hold files of any name.
func TestPartsOfAnyKind(t *testing.T) {
	got, both := bodies(t, "3.1.0", "multipart/mixed", "{schema: {type: object}}")
	if both[0].Kind != ir.ContentMultipart || both[1].Kind != ir.ContentBinary {
		t.Errorf("kinds %d and %d", both[0].Kind, both[1].Kind)
	}
	got.says(diag.Warning, "response 200", "parts that the schema does not name")
}

func TestPartHeaders(t *testing.T) {
	got, both := bodies(t, "3.1.0", "multipart/form-data", "{schema: {type: object, properties: {f: {type: string, format: binary}, n: {type: integer}}}, "+
		"encoding: {f: {headers: {X-A: {required: true, schema: {type: integer}}, Content-Type: {schema: {type: string}}}}}}")
	got.silent()
	for _, c := range both {
		h := c.Parts[0].Headers
		if len(h) != 1 || h[0].Name != "X-A" || !h[0].Required || h[0].Use.Type.Kind != ir.KindScalar || len(c.Parts[1].Headers) != 0 {
			t.Errorf("%+v", h)
		}
	}
	got, _ = bodies(t, "3.1.0", "multipart/form-data", "{schema: {type: object, properties: {f: {type: string, format: binary}, g: {type: string, format: binary}}}, "+
		"encoding: {f: {headers: {X-A: {schema: {type: integer}}}}}}")
	got.says(diag.Warning, "the headers of f are read before any file is handed over")
}

// An address that no function can find is told where it stands.
func TestCallbackAddresses(t *testing.T) {
	doc := func(address string) lowered {
		return lowerText(t, `
paths:
  /a/{id}:
    post:
      operationId: a
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {url: {type: string}}}}}}
      responses:
        '201':
          description: ok
          headers: {Location: {schema: {type: string}}}
          content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}
        '400': {description: no, headers: {X-No: {schema: {type: string}}}}
      callbacks:
        done:
          '`+address+`':
            post: {operationId: done, responses: {'204': {description: ok}}}
`, Options{})
	}
	for _, good := range []string{
		"$request.body#/url", "{$request.body#/url}?id={$request.path.id}", "{$response.header.location}", "x/{$response.body#/id}/{$statusCode}/{$method}",
		"{$url}", "https://example.com/fixed",
	} {
		doc(good).silent()
	}
	for _, bad := range []string{"{$request.query.tags}", "{$request.header.X}", "{$response.header.X-No}", "{$nothing}", "{id}"} {
		got := doc(bad)
		got.noErrors()
		got.says(diag.Warning, "callback done", "no function finds the address")
	}
}
