package lower

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// All faults of a document are told in one run, those below a path that is none
// included; what it should name is left out of that.
func TestFaultsBelowABrokenPath(t *testing.T) {
	got := lowerText(t, `
paths:
  '/a/{id':
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      parameters: [{name: q, in: body}]
      responses: {'204': {description: ok}, '2xy': {description: k}}
  '/a/{}': {post: {responses: {'204': {description: ok}}, respones: {}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
`, Options{})
	got.says(diag.Error, `path "/a/{id"`, "the { is never closed")
	got.says(diag.Error, `path "/a/{}"`, "needs a name")
	got.says(diag.Error, "GET /a/{id", `in "body"`)
	got.says(diag.Warning, "GET /a/{id", `"2xy"`)
	got.says(diag.Error, "POST /a/{}", `"respones"`)
	if len(got.list) != 5 {
		t.Errorf("%d reports, want 5", len(got.list))
		got.silent()
	}
	if n := len(got.API.Operations); n != 1 {
		t.Errorf("%d operations, want the one of /b", n)
	}
}
