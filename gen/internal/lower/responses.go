package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// operationResponses lowers the responses of an operation.
func (l *lowerer) operationResponses(s *scope) []*ir.Response {
	m, ok := s.node.Member("responses")
	if !ok {
		// 3.1 made the field optional.
		if l.doc.Version < load.V31 {
			l.list.Error(s.op.Pos, "responses-missing", s.node.Pointer(), "operation %s: responses is required (OpenAPI 3.0)", s.where).
				Hintf("list at least one response, such as default")
		}
		return nil
	}
	responses := l.object(s.node, "responses", s.where)
	if responses == nil {
		return nil
	}
	var out []*ir.Response
	seen := map[string]diag.Pos{}
	for _, r := range responses.Members {
		if strings.HasPrefix(r.Key, "x-") {
			continue
		}
		status, ok := l.status(r, s.where)
		if !ok {
			continue
		}
		if first, dup := seen[status]; dup {
			l.list.Repair(r.Pos(), "response-status", r.Value.Pointer(), "%s: response %s is declared twice: the first is used", s.where, status).
				At(first, "first declared here")
			continue
		}
		seen[status] = r.Pos()
		if resp := l.response(r, status, s.where, s.place); resp != nil {
			out = append(out, resp)
		}
	}
	if len(seen) == 0 {
		l.list.Repair(m.Pos(), "responses-missing", responses.Pointer(), "%s: responses is empty: every answer is an undeclared one", s.where)
	}
	return out
}

// status reads the key of a response: a status, a range such as 4XX, or default.
func (l *lowerer) status(m load.Member, where string) (string, bool) {
	key := strings.TrimSpace(m.Key)
	upper := strings.ToUpper(key)
	switch {
	case strings.EqualFold(key, "default"):
		upper = "default"
	case len(upper) == 3 && upper[0] >= '1' && upper[0] <= '5' && (upper[1:] == "XX" || digits(upper)):
	case len(upper) == 3 && upper[0] != '0' && digits(upper):
		l.list.Repair(m.Pos(), "response-status", m.Value.Pointer(), "%s: response %s is no status of HTTP (100 to 599): kept", where, m.Key)
		return upper, true
	default:
		l.list.Repair(m.Pos(), "response-status", m.Value.Pointer(),
			"%s: response key %q is neither a status, a range such as 4XX, nor default: ignored", where, m.Key)
		return "", false
	}
	if upper != m.Key {
		l.list.Repair(m.Pos(), "response-status", m.Value.Pointer(), "%s: response key %q: taken as %s", where, m.Key, upper)
	}
	return upper, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// response lowers one entry of responses. A shared one is lowered once; each use
// adds its status.
func (l *lowerer) response(m load.Member, status, where string, place []string) *ir.Response {
	ref := l.follow(m.Value, responseObject)
	n := ref.node
	if n == nil {
		return nil
	}
	what := where + ": response " + status
	place = append(slices.Clone(place), statusWord(status))
	if ref.component != "" {
		what = "response " + ref.component
		place = []string{ref.component}
	}
	if text, ok := n.Written(); ok {
		l.list.Repair(m.Pos(), "wrong-type", n.Pointer(), "%s must be a mapping, got a %s: taken as an answer without a body", what, n.KindName())
		return &ir.Response{Status: status, ID: l.nodeID(n), Pos: m.Pos(), Doc: ir.Doc{Description: text}}
	}
	shared := l.responses[n]
	if shared == nil {
		if shared = l.newResponse(n, what, where, place, ref.component); shared == nil {
			return nil
		}
		l.responses[n] = shared
	}
	out := *shared
	out.Status, out.Pos = status, m.Pos()
	if ref.summary != "" {
		out.Doc.Summary = ref.summary
	}
	if ref.description != "" {
		out.Doc.Description = ref.description
	}
	return &out
}

func (l *lowerer) newResponse(n *load.Node, what, where string, place []string, component string) *ir.Response {
	if !l.checkFields(n, what, responseObject) {
		return nil
	}
	if !n.Has("description") && l.doc.Version < load.V32 {
		l.list.Repair(keyPos(n), "response-description", n.Pointer(), "%s: description is missing: taken as empty", what)
	}
	r := &ir.Response{Component: component, ID: l.nodeID(n), Doc: l.docOf(n, what, target{})}
	r.Headers = l.headers(n, what, place)
	if content, ok := n.Member("content"); ok {
		switch {
		case content.Value.Is(load.Object):
			r.Contents = l.contents(l.container(content.Value, what+": content"), what, append(slices.Clone(place), "Body"))
			l.anyParts(r.Contents, what)
		case content.Value.Kind == load.Null:
			l.list.Repair(content.Pos(), "wrong-type", content.Value.Pointer(), "%s: content is null: taken as absent", what)
		default:
			l.contentKind(content, what, where)
		}
	}
	l.collectLinks(n, what)
	return r
}

// statusWords are the words of the statuses that documents use most, for names.
var statusWords = map[string]string{
	"200": "OK", "201": "Created", "202": "Accepted", "203": "NonAuthoritativeInfo", "204": "NoContent", "205": "ResetContent",
	"206": "PartialContent", "207": "MultiStatus", "300": "MultipleChoices", "301": "MovedPermanently", "302": "Found",
	"303": "SeeOther", "304": "NotModified", "307": "TemporaryRedirect", "308": "PermanentRedirect", "400": "BadRequest",
	"401": "Unauthorized", "402": "PaymentRequired", "403": "Forbidden", "404": "NotFound", "405": "MethodNotAllowed",
	"406": "NotAcceptable", "408": "RequestTimeout", "409": "Conflict", "410": "Gone", "411": "LengthRequired",
	"412": "PreconditionFailed", "413": "ContentTooLarge", "415": "UnsupportedMediaType", "416": "RangeNotSatisfiable",
	"418": "Teapot", "422": "UnprocessableContent", "423": "Locked", "424": "FailedDependency", "425": "TooEarly",
	"428": "PreconditionRequired", "429": "TooManyRequests", "500": "InternalServerError", "501": "NotImplemented",
	"502": "BadGateway", "503": "ServiceUnavailable", "504": "GatewayTimeout", "507": "InsufficientStorage", "default": "Default",
}

// statusWord names the types written in a response: OK, NotFound, 4XX, Default.
func statusWord(status string) string {
	if word := statusWords[status]; word != "" {
		return word
	}
	return status
}

// headers lowers the member headers of a response or encoding.
func (l *lowerer) headers(n *load.Node, what string, place []string) []*ir.Param {
	headers := l.object(n, "headers", what)
	if headers == nil {
		return nil
	}
	var out []*ir.Param
	seen := map[string]diag.Pos{}
	for _, m := range headers.Members {
		if strings.EqualFold(m.Key, "content-type") {
			continue // the standard says so: content tells it
		}
		name := strings.ToLower(m.Key)
		if first, dup := seen[name]; dup {
			l.list.Repair(m.Pos(), "header-duplicate", m.Value.Pointer(), "%s: header %s is declared twice: the first is used", what, m.Key).
				At(first, "first declared here")
			continue
		}
		seen[name] = m.Pos()
		if h := l.header(m, what, place); h != nil {
			out = append(out, h)
		}
	}
	return out
}

func (l *lowerer) header(m load.Member, what string, place []string) *ir.Param {
	if !isToken(m.Key) {
		l.list.Repair(m.Pos(), "header-name", m.Value.Pointer(), "%s: %q is no name of a header: ignored", what, m.Key)
		return nil
	}
	ref := l.follow(m.Value, headerObject)
	n := ref.node
	if n == nil {
		return nil
	}
	label := what + ": header \"" + m.Key + "\""
	place = append(slices.Clone(place), m.Key)
	if ref.component != "" {
		label = "header " + ref.component
		place = []string{ref.component, "Header"}
	}
	if n.Kind == load.Null {
		l.list.Repair(m.Pos(), "wrong-type", n.Pointer(), "%s must be a mapping, got null: taken as a string", label)
		return &ir.Param{Name: m.Key, In: "header", Pos: m.Pos(), Style: "simple", Use: &ir.Use{Type: stringType()}}
	}
	if !l.checkFields(n, label, headerObject) {
		return nil
	}
	h := &ir.Param{
		Name: m.Key, In: "header", Pos: m.Pos(), GoName: l.goName(n, label), Doc: l.docOf(n, label, ref),
		Required: l.flag(n, "required", label, false),
	}
	l.parameterValue(h, n, label, place)
	return h
}
