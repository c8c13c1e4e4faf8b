package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// The files of the operation half.
const (
	fileParams    = "params"
	fileResponses = "responses"
	filePolicy    = "policy"
	fileSecurity  = "security"
	fileClient    = "client"
	fileServer    = "server"
	fileWebhooks  = "webhooks"
	fileCallbacks = "callbacks"
)

// opState is what the operation half keeps in a run.
type opState struct {
	paramSeen  map[*ir.Type]bool
	paramQueue []*ir.Type
	queryForms []*ir.Type           // those that are a whole query; see queryForm
	responses  map[string]*response // by Go name
	order      []*response          // the same, in the order in which they were met
	planned    []*operation         // all of them
	policies   *policies
	security   *pool
}

func newOpState() *opState {
	return &opState{
		paramSeen: map[*ir.Type]bool{}, responses: map[string]*response{}, policies: newPolicies(), security: newPool("security"),
	}
}

// group is one of the three sets of operations, each with interfaces of its own. The
// program that calls an API is the one that receives its webhooks, so the sides of
// these are the other way round.
type group struct {
	kind   string // what a reader calls an operation of it
	ops    []*operation
	caller bool // the side that calls is written
	called bool // the side that answers is written

	client, newClient, api             string // support names of the calling side
	service, newHandler, unimplemented string // of the answering side
	clientFile, serverFile             string
	clientAPI, serverAPI               string // private variables
}

// operation is one operation with what its emitters ask for.
type operation struct {
	*ir.Operation
	group  *group
	n      names.Op
	fields []requestField
	body   *body
	result result
	fails  []*failure

	validates bool // the request has a method validate
}

func (o *operation) hasRequest() bool { return len(o.fields) > 0 || o.body != nil }

// operations writes the operation half of the package.
func (e *emitter) operations() {
	if e.opt.NoClient && e.opt.NoServer {
		return // models only
	}
	groups := e.groups()
	for _, g := range groups {
		for _, o := range g.ops {
			e.ops.policies.count(o.Operation)
		}
	}
	for _, g := range groups {
		if len(g.ops) == 0 && g.kind != kindOperation {
			continue
		}
		for _, o := range g.ops {
			e.request(o)
			e.resultTypes(o)
			if g.caller || e.routed(o) {
				e.spec(o)
			}
		}
		if g.caller {
			e.client(g)
		}
		if g.called {
			e.server(g)
		}
	}
	e.writeResponses()
	e.writePolicies()
	e.writeSecurity()
	e.writeParamFunctions()
}

const (
	kindOperation = "operation"
	kindWebhook   = "webhook"
	kindCallback  = "callback"
)

func (e *emitter) groups() []*group {
	client, server := !e.opt.NoClient, !e.opt.NoServer
	groups := []*group{
		{
			kind: kindOperation, caller: client, called: server, client: "Client", newClient: "New", api: "API",
			service: "Service", newHandler: "NewHandler", unimplemented: "Unimplemented",
			clientFile: fileClient, serverFile: fileServer, clientAPI: "clientAPI", serverAPI: "serverAPI",
		},
		{
			kind: kindWebhook, caller: server, called: client, client: "WebhookClient", newClient: "NewWebhookClient", api: "WebhookAPI",
			service: "WebhookService", newHandler: "NewWebhookHandler", unimplemented: "UnimplementedWebhooks",
			clientFile: fileWebhooks, serverFile: fileWebhooks, clientAPI: "webhookClientAPI", serverAPI: "webhookServerAPI",
		},
		{
			kind: kindCallback, caller: server, called: client, client: "CallbackClient", newClient: "NewCallbackClient", api: "CallbackAPI",
			service: "CallbackService", newHandler: "NewCallbackHandler", unimplemented: "UnimplementedCallbacks",
			clientFile: fileCallbacks, serverFile: fileCallbacks, clientAPI: "callbackClientAPI", serverAPI: "callbackServerAPI",
		},
	}
	var lists [3][]*ir.Operation
	lists[0], lists[1] = e.api.Operations, e.api.Webhooks
	lists[2] = callbacksOf(e.api)
	counts := statusCounts(lists[:])
	for i, list := range lists {
		for _, op := range list {
			groups[i].ops = append(groups[i].ops, e.plan(groups[i], op, counts))
		}
	}
	return groups
}

// callbacksOf lists the operations of all callbacks, those of callbacks as well.
func callbacksOf(api *ir.API) []*ir.Operation {
	var out []*ir.Operation
	seen := map[*ir.Operation]bool{}
	var collect func(ops []*ir.Operation)
	collect = func(ops []*ir.Operation) {
		for _, op := range ops {
			for _, cb := range op.Callbacks {
				if cb.Operation == nil || seen[cb.Operation] {
					continue
				}
				seen[cb.Operation] = true
				out = append(out, cb.Operation)
				collect([]*ir.Operation{cb.Operation})
			}
		}
	}
	collect(api.Operations)
	collect(api.Webhooks)
	return out
}

// plan works out everything about an operation that several emitters ask for.
func (e *emitter) plan(g *group, op *ir.Operation, counts map[string]map[string]bool) *operation {
	o := &operation{Operation: op, group: g, n: e.names.Op(op)}
	for _, p := range op.Params {
		o.fields = append(o.fields, requestField{Param: p, name: e.names.Param(op, p)})
	}
	o.body = e.planBody(op)
	e.planResponses(o, counts)
	e.ops.planned = append(e.ops.planned, o)
	return o
}

// statusCounts tells, for each shared response, under which statuses it stands: with
// more than one its type has to keep the status.
func statusCounts(lists [][]*ir.Operation) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, list := range lists {
		for _, op := range list {
			for _, r := range op.Responses {
				if r.Component == "" {
					continue
				}
				if out[r.ID] == nil {
					out[r.ID] = map[string]bool{}
				}
				out[r.ID][r.Status] = true
			}
		}
	}
	return out
}

// ptr is a pointer to a named type.
func ptr(name string) *jen.Statement { return jen.Op("*").Id(name) }
