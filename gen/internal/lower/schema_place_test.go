package lower

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// A schema without a name is called by its place in the document, as its readers know it.
func TestPlacesInMessages(t *testing.T) {
	got := lowerText(t, `
openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /b/{x}:
    parameters: [{name: x, in: path, required: true, schema: {type: strng}}]
    get:
      parameters: [{name: q, in: query, schema: {type: array}}, {name: r, in: query, content: {application/json: {schema: {type: array}}}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {a: {type: array}}}}}}
      responses:
        '200': {description: ok, headers: {X: {schema: {type: array}}}, content: {application/json: {schema: {type: array}}}}
      callbacks: {c: {'{$request.body#/a}': {post: {requestBody: {content: {application/json: {schema: {type: array}}}}, responses: {'200': {description: ok}}}}}}
`, Options{})
	got.noErrors()
	for _, place := range []string{
		`the schema of parameter "x" of /b/{x}: `,
		`the schema of parameter "q" of GET /b/{x}: `,
		`the schema of parameter "r" of GET /b/{x}: `,
		`property "a" of the request body of GET /b/{x}: `,
		`the schema of header X of response 200 of GET /b/{x}: `,
		`the schema of response 200 of GET /b/{x}: `,
		`the schema of callback c of GET /b/{x}: `,
	} {
		got.says(diag.Warning, place)
	}
}
