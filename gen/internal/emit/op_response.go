package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// payload is the body of a response in one Go type, under the media types that share
// it; the first is the one that a server writes.
type payload struct {
	*ir.Content
	media []string
}

// response is a Go type for a response: a success with more to say than its body, or
// a failure.
type response struct {
	*ir.Response
	name     string
	status   bool // keeps the status, for it stands for several
	bodies   []*payload
	several  bool // of the success of other statuses too
	fails    bool // an error
	result   bool // a success
	succeeds []string
	read     bool // by a client of the package, as a result
	failed   bool // the same, as an error
	called   bool // written by a server of it
}

// result is what an operation gives.
type result struct {
	form     resultForm
	variants []*variant
	name     string // of the sealed interface
}

type resultForm uint8

const (
	resultNone   resultForm = iota // only an error
	resultPlain                    // the body as it is
	resultStruct                   // a struct of headers and body
	resultSealed                   // one of several
)

// variant is one success: a response in one media type.
type variant struct {
	resp *ir.Response
	body *payload  // nil: none
	typ  *response // nil: the plain form
	also []*ir.Response
}

// failure is a declared response that is an error.
type failure struct {
	resp *ir.Response
	typ  *response
}

// hasBody reports whether HTTP allows a body in a response.
func hasBody(op *ir.Operation, status string) bool {
	return op.Method != "HEAD" && status != "204" && status != "205" && status != "304" && !strings.HasPrefix(status, "1")
}

// isSuccess reports a response that is a result.
func isSuccess(status string) bool {
	return status[0] == '1' || status[0] == '2' || status[0] == '3'
}

// exact reports a single status.
func exact(status string) bool {
	_, err := strconv.Atoi(status)
	return err == nil
}

// payloads groups the media types of a response by the Go type of their body.
func (e *emitter) payloads(op *ir.Operation, r *ir.Response) []*payload {
	if !hasBody(op, r.Status) {
		return nil
	}
	var out []*payload
	keys := map[string]*payload{}
	for _, c := range r.Contents {
		key := e.payloadKey(c)
		if p := keys[key]; p != nil {
			p.media = append(p.media, knownMedia(c.MediaType))
			continue
		}
		p := &payload{Content: c, media: []string{knownMedia(c.MediaType)}}
		keys[key] = p
		out = append(out, p)
	}
	return out
}

// payloadKey is equal for contents that have one Go type and one way of writing.
func (e *emitter) payloadKey(c *ir.Content) string {
	switch k := bodyKind(c); k {
	case ir.ContentJSON:
		if c.Use == nil {
			return "json"
		}
		return "json " + e.elemCodec(c.Use).key
	case ir.ContentText:
		return "text " + e.paramType(textUse(c).Type, lenient).key
	case ir.ContentEvents, ir.ContentLines:
		key := streamWord(c)
		if c.Item != nil {
			key += e.elemCodec(c.Item).key
		}
		return key
	case ir.ContentForm, ir.ContentMultipart:
		return "fields " + c.MediaType // each has encodings of its own
	default:
		return "bytes"
	}
}

// bodyKind is the kind of a response's body: XML is bytes, and so is a form without a
// schema of its fields.
func bodyKind(c *ir.Content) ir.ContentKind {
	if c.Kind == ir.ContentXML || isForm(c.Kind) && c.Use == nil {
		return ir.ContentBinary
	}
	return c.Kind
}

// isForm reports a body of fields or parts.
func isForm(k ir.ContentKind) bool { return k == ir.ContentForm || k == ir.ContentMultipart }

// planResponses sorts the responses of an operation into results and failures, and
// finds the form of the result.
func (e *emitter) planResponses(o *operation, counts map[string]map[string]bool) {
	var good []*ir.Response
	for _, r := range o.Responses {
		if r.Status != "default" && isSuccess(r.Status) {
			good = append(good, r)
		}
	}
	both := len(good) == 0 // then the default response is the only success
	for _, r := range o.Responses {
		if r.Status == "default" && both {
			good = append(good, r)
		}
		if !isSuccess(r.Status) || r.Status == "default" {
			o.fails = append(o.fails, &failure{resp: r, typ: e.failureType(o, r, counts)})
		}
	}
	slices.SortStableFunc(o.fails, func(a, b *failure) int { return statusRank(a.resp.Status) - statusRank(b.resp.Status) })
	slices.SortStableFunc(good, func(a, b *ir.Response) int { return statusRank(a.Status) - statusRank(b.Status) })
	o.result.variants = e.variants(o, good)
	o.result.form = e.resultForm(o)
	e.nameResult(o, counts)
}

// statusRank orders responses: exact statuses, ranges, default.
func statusRank(status string) int {
	switch {
	case status == "default":
		return 2
	case exact(status):
		return 0
	}
	return 1
}

// variants lists the successes, each in each Go type of its body. Responses that are
// told apart by their status alone are one.
func (e *emitter) variants(o *operation, good []*ir.Response) []*variant {
	var out []*variant
	keys := map[string]*variant{}
	for _, r := range good {
		bodies := e.payloads(o.Operation, r)
		if len(bodies) == 0 {
			bodies = []*payload{nil}
		}
		for _, b := range bodies {
			key := ""
			if b != nil {
				key = e.payloadKey(b.Content) + " " + strings.Join(b.media, " ")
			}
			if v := keys[key]; v != nil && len(r.Headers) == 0 && len(v.resp.Headers) == 0 && r.Status != "default" {
				v.also = append(v.also, r)
				continue
			}
			v := &variant{resp: r, body: b}
			out = append(out, v)
			if keys[key] == nil {
				keys[key] = v
			}
		}
	}
	return out
}

// keepsStatus reports a success that has to say its status.
func (v *variant) keepsStatus() bool { return len(v.also) > 0 || !exact(v.resp.Status) }

func (e *emitter) resultForm(o *operation) resultForm {
	switch vs := o.result.variants; {
	case len(vs) == 0:
		return resultNone
	case len(vs) > 1:
		return resultSealed
	case vs[0].keepsStatus() || len(vs[0].resp.Headers) > 0 || e.needsStruct(vs[0].body):
		return resultStruct
	case vs[0].body == nil:
		return resultNone
	}
	return resultPlain
}

// nameResult finds the types of the successes.
func (e *emitter) nameResult(o *operation, counts map[string]map[string]bool) {
	if o.result.form == resultSealed {
		o.result.name = o.n.Result
	}
	if o.result.form != resultStruct && o.result.form != resultSealed {
		return
	}
	several := map[*ir.Response]int{}
	for _, v := range o.result.variants {
		several[v.resp]++
	}
	for _, v := range o.result.variants {
		shared := e.names.Shared(v.resp)
		t := &response{Response: v.resp, status: v.keepsStatus(), several: len(v.also) > 0, result: true}
		if v.body != nil {
			t.bodies = []*payload{v.body}
		}
		switch {
		case several[v.resp] > 1:
			t.name = e.names.Content(o.Operation, v.body.Content)
		case shared != "" && len(v.also) == 0 && sameBodies(v.resp, v.body):
			t.name, t.status = shared, t.status || len(counts[v.resp.ID]) > 1
		case o.result.form == resultStruct && v.resp.Status != "default":
			t.name = o.n.Response
		default:
			t.name = e.names.Response(o.Operation, v.resp)
		}
		v.typ = e.addResponse(o, t)
		if o.result.name != "" && !slices.Contains(v.typ.succeeds, o.result.name) {
			v.typ.succeeds = append(v.typ.succeeds, o.result.name)
		}
	}
}

// sameBodies reports whether a use of a shared response has the body that all others
// have: HEAD has none.
func sameBodies(r *ir.Response, b *payload) bool { return (b == nil) == (len(r.Contents) == 0) }

// failureType is the error type of a response.
func (e *emitter) failureType(o *operation, r *ir.Response, counts map[string]map[string]bool) *response {
	t := &response{
		Response: r, name: e.names.Shared(r), status: !exact(r.Status) || len(counts[r.ID]) > 1,
		bodies: e.payloads(o.Operation, r), fails: true,
	}
	if t.name == "" || len(t.bodies) == 0 && len(r.Contents) > 0 {
		t.name, t.status = e.names.Response(o.Operation, r), !exact(r.Status)
	}
	return e.addResponse(o, t)
}

// addResponse notes a response type, once for each name.
func (e *emitter) addResponse(o *operation, t *response) *response {
	have := e.ops.responses[t.name]
	if have == nil {
		have = t
		e.ops.responses[t.name] = t
		e.ops.order = append(e.ops.order, t)
	}
	have.fails = have.fails || t.fails
	have.result = have.result || t.result
	have.read = have.read || t.result && o.group.caller
	have.failed = have.failed || t.fails && o.group.caller
	have.called = have.called || o.group.called
	return have
}
