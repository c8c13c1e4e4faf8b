package lower

import (
	"net/http"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

func TestWebhooks(t *testing.T) {
	got := lowerText(t, `
security: [{k: []}]
paths: {}
webhooks:
  newBooking:
    parameters: [{name: X-Sign, in: header, schema: {type: string}}]
    post: {requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}, responses: {'204': {description: ok}}}
    get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'204': {description: ok}}}
  named: {post: {operationId: onNamed, security: [{k: []}], responses: {'204': {description: ok}}}}
components: {securitySchemes: {k: {type: apiKey, in: header, name: X}}}
`, Options{})
	got.noErrors()
	hooks := got.API.Webhooks
	if len(hooks) != 3 {
		t.Fatalf("%d webhooks", len(hooks))
	}
	post, get, named := hooks[0], hooks[1], hooks[2]
	if !slices.Equal(post.Name, []string{"newBooking"}) || post.Path != "newBooking" || post.Pointer != "#/webhooks/newBooking/post" || len(post.Params) != 1 || post.Body == nil {
		t.Errorf("%+v", post)
	}
	if !slices.Equal(get.Name, []string{"get", "newBooking"}) || len(get.Params) != 1 {
		t.Errorf("%q with %d parameters", get.Name, len(get.Params))
	}
	if !slices.Equal(named.Name, []string{"onNamed"}) || named.Key != "onNamed" {
		t.Errorf("%q", named.Name)
	}
	// What callers of the API need says nothing about requests that the API sends.
	if len(post.Security) != 0 || requirementText(named.Security) != "k" {
		t.Errorf("security %s, %s", requirementText(post.Security), requirementText(named.Security))
	}
	got.says(diag.Warning, `"id" is in: path`, "ignored")
	if len(got.Sources) != 3 {
		t.Errorf("%d sources", len(got.Sources))
	}
}

func TestCallbacks(t *testing.T) {
	got := lowerCase(t, "100-callbacks-and-links", Options{})
	a, b := got.op("subscribe").Callbacks, got.op("subscribe2").Callbacks
	if len(a) != 1 || len(b) != 1 {
		t.Fatalf("%d and %d callbacks", len(a), len(b))
	}
	if a[0].Name != "done" || a[0].Expression != "{$request.body#/hookUrl}" || a[0].Operation.Method != http.MethodPost {
		t.Errorf("%+v", a[0])
	}
	if b[0].Expression != "{$request.query.u}" {
		t.Errorf("%+v", b[0])
	}
	if !slices.Equal(a[0].Operation.Name, []string{"subscribe", "done"}) || !slices.Equal(b[0].Operation.Name, []string{"subscribe2", "done"}) {
		t.Errorf("names %q, %q", a[0].Operation.Name, b[0].Operation.Name)
	}
	if a[0].Operation.Body == nil || a[0].Operation.Body.Contents[0].Use == nil {
		t.Error("the body of the callback is lost")
	}
	if want := "#/paths/~1subs/post/callbacks/done/{$request.body#~1hookUrl}/post"; a[0].Operation.Pointer != want {
		t.Errorf("pointer %s, want %s", a[0].Operation.Pointer, want)
	}
	if _, ok := got.Sources[a[0].Operation]; !ok {
		t.Error("no source of the callback")
	}
}

func TestCallbacksOfManyExpressions(t *testing.T) {
	got := lowerText(t, `
paths:
  /a:
    post:
      operationId: a
      responses: {'204': {description: ok}}
      callbacks:
        done:
          '{$request.query.ok}': {post: {responses: {'204': {description: ok}}}}
          '{$request.query.bad}': {post: {responses: {'204': {description: ok}}}}
        shared: {$ref: '#/components/callbacks/Shared'}
        wrong: [x]
components:
  callbacks:
    Shared: {'http://x.example': {put: {operationId: put, responses: {'204': {description: ok}}}}}
`, Options{})
	got.says(diag.Error, "callback wrong must be a mapping")
	c := got.op("a").Callbacks
	if len(c) != 3 || slices.Equal(c[0].Operation.Name, c[1].Operation.Name) || c[2].Operation.Method != http.MethodPut {
		t.Errorf("%d callbacks", len(c))
	}
}

// A callback whose operation has the same callback again never ends.
func TestCallbackCycle(t *testing.T) {
	got := lowerText(t, `
paths:
  /a: {post: {operationId: a, responses: {'204': {description: ok}}, callbacks: {c: {$ref: '#/components/callbacks/C'}}}}
components:
  callbacks:
    C: {'{$url}': {post: {responses: {'204': {description: ok}}, callbacks: {c: {$ref: '#/components/callbacks/C'}}}}}
`, Options{})
	got.says(diag.Error, "leads back to itself")
}
