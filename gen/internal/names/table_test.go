package names

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// component is a declared type of components.schemas.
func component(key string) *ir.Type {
	return &ir.Type{ID: "#/components/schemas/" + key, Name: []string{key}, Declared: true, Kind: ir.KindStruct}
}

// inline is a declared type written inside another.
func inline(id string, words ...string) *ir.Type {
	return &ir.Type{ID: id, Name: words, Origin: ir.Inline, Declared: true, Kind: ir.KindStruct}
}

func operation(id string) *ir.Operation {
	return &ir.Operation{ID: id, Key: id, Name: []string{id}, Method: "GET"}
}

func enum(key string, values ...string) *ir.Type {
	t := component(key)
	t.Kind = ir.KindEnum
	for _, v := range values {
		t.Enum = append(t.Enum, &ir.EnumValue{Value: &ir.Value{Kind: ir.StringValue, Text: v}})
	}
	return t
}

func typeNames(t *testing.T, types ...*ir.Type) []string {
	t.Helper()
	table := New(&ir.API{Types: types})
	var out []string
	for _, ty := range types {
		out = append(out, table.Type(ty))
	}
	return out
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestTypes(t *testing.T) {
	equal(t, "a key that is the Go name wins; the others are spelled",
		typeNames(t, component("foo-bar"), component("foo_bar"), component("FooBar")),
		[]string{"FooDashBar", "FooUnderscoreBar", "FooBar"})
	equal(t, "components beat inline types",
		typeNames(t, inline("#/components/schemas/Pet/properties/owner", "Pet", "owner"), component("PetOwner")),
		[]string{"PetOwnerInline", "PetOwner"})
	equal(t, "predeclared and support names belong to schemas, Client and Service do not",
		typeNames(t, component("error"), component("string"), component("Client"), component("service"), component("Option"), component("API")),
		[]string{"Error", "String", "ClientModel", "ServiceModel", "Option", "API"})
	handler := component("Handler")
	handler.GoName = "APIHandler"
	equal(t, "x-go-name reaches the types inside",
		typeNames(t, handler, inline("#/components/schemas/Handler/properties/kind", "Handler", "kind")),
		[]string{"APIHandler", "APIHandlerKind"})
	away := component("Money")
	away.ID = "ext/common.yaml#/components/schemas/Money"
	equal(t, "the root document wins over another file",
		typeNames(t, away, component("Money")), []string{"CommonMoney", "Money"})
}

func TestForeignTypesHaveNoName(t *testing.T) {
	ty := component("Total")
	ty.GoType = &ir.GoType{Import: "math/big", Name: "Int"}
	equal(t, "x-go-type", typeNames(t, ty), []string{""})
}

func TestSupportGivesWay(t *testing.T) {
	table := New(&ir.API{Types: []*ir.Type{component("API"), component("new")}})
	for name, want := range map[string]string{
		"Client": "Client", "Service": "Service", "API": "ClientAPI", "New": "NewClient", "NewHandler": "NewHandler",
	} {
		if got := table.Support(name); got != want {
			t.Errorf("Support(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestFields(t *testing.T) {
	ty := component("Host")
	for _, key := range []string{
		"host-fqdn", "host_fqdn", "HostFqdn", "hostFqdn", "_id", "id", "ID",
		"validate", "extra", "", "-", "StartTime", "StartTime<", "StartTime>", "type", "context", "夏", "❄️",
	} {
		ty.Fields = append(ty.Fields, &ir.Field{Name: key})
	}
	table := New(&ir.API{Types: []*ir.Type{ty}})
	want := []string{
		"HostDashFqdn", "HostUnderscoreFqdn", "HostFqdn", "HostFqdnLower", "UnderscoreID", "IDLower", "ID",
		"ValidateLower", "Extra", "Empty", "Dash", "StartTime", "StartTimeLt", "StartTimeGt", "Type", "Context", "X夏", "U2744",
	}
	var got []string
	for _, f := range ty.Fields {
		got = append(got, table.Field(ty, f))
	}
	equal(t, "fields", got, want)
	if got := table.Extra(ty); got != "ExtraMembers" {
		t.Errorf("Extra beside a member of that name = %s", got)
	}
}

func TestConstants(t *testing.T) {
	level := enum("Level", "1", "-1", "+1", "10")
	op := enum("Op", "=", "!=", "<", "<=", ">", ">=", "*", "")
	season := enum("Season", "夏", "冬", "\u00e9t\u00e9", "e\u0301te\u0301", "❄️")
	state, door := enum("State", "open", "shut"), enum("Door", "open", "shut")
	stateOpen := component("StateOpen")
	kind := enum("Kind", "a", "b")
	kind.Name, kind.GoName = []string{"Handler", "kind"}, "APIHandlerKind"
	kind.Enum[0].GoName, kind.Enum[1].GoName = "KindAlpha", "Beta"
	model := enum("Model", "gpt-3.5", "gpt-35", "3.5", "35")
	table := New(&ir.API{Types: []*ir.Type{level, op, season, state, door, stateOpen, kind, model}})
	for ty, want := range map[*ir.Type][]string{
		level:  {"Level1", "LevelMinus1", "LevelPlus1", "Level10"},
		op:     {"OpEq", "OpNotEq", "OpLt", "OpLtEq", "OpGt", "OpGtEq", "OpStar", "OpEmpty"},
		season: {"Season夏", "Season冬", "SeasonÉté", "SeasonEte", "SeasonU2744"},
		state:  {"StateOpenValue", "StateShut"},
		door:   {"DoorOpen", "DoorShut"},
		kind:   {"APIHandlerKindAlpha", "APIHandlerKindBeta"},
		model:  {"ModelGpt3_5", "ModelGpt35", "Model3_5", "Model35"},
	} {
		var got []string
		for _, v := range ty.Enum {
			got = append(got, table.Const(ty, v))
		}
		equal(t, "constants of "+ty.Name[0], got, want)
	}
	if got := table.Type(stateOpen); got != "StateOpen" {
		t.Errorf("the schema StateOpen is called %s", got)
	}
}

func TestOperations(t *testing.T) {
	ids := []string{"3gpp-register", "users.get", "users/get-all", "delete", "list all items", "straße"}
	api := &ir.API{}
	for _, id := range ids {
		api.Operations = append(api.Operations, operation(id))
	}
	renamed := operation("getPet")
	renamed.GoName = "FetchPet"
	unnamed := &ir.Operation{Key: "GET /books/{book-id}", Name: []string{"get", "books", "by", "book-id"}, Method: "GET", Path: "/books/{book-id}"}
	api.Operations = append(api.Operations, renamed, unnamed)
	table := New(api)
	var got []string
	for _, op := range api.Operations {
		got = append(got, table.Op(op).Method)
	}
	equal(t, "methods", got, []string{
		"Op3gppRegister", "UsersGet", "UsersGetAll", "Delete", "ListAllItems", "Straße", "FetchPet", "GetBooksByBookID",
	})
	want := Op{Method: "Delete", Base: "Delete", Request: "DeleteRequest", Response: "DeleteResponse", Result: "DeleteResult"}
	if got := table.Op(api.Operations[3]); got != want {
		t.Errorf("names of delete: %+v", got)
	}
}

func TestWrappersGiveWay(t *testing.T) {
	op := operation("createChart")
	parcel := &ir.Response{Status: "200", Component: "Parcel", ID: "#/components/responses/Parcel"}
	missing := &ir.Response{Status: "404", ID: "#/paths/~1charts/post/responses/404"}
	op.Responses = []*ir.Response{parcel, missing}
	table := New(&ir.API{
		Types:      []*ir.Type{component("CreateChartRequest"), component("CreateChartResponse"), component("Parcel"), component("CreateChartNotFound")},
		Operations: []*ir.Operation{op},
	})
	o := table.Op(op)
	equal(t, "wrappers", []string{o.Request, o.Response, o.Result, table.Shared(parcel), table.Response(op, parcel), table.Response(op, missing)},
		[]string{"CreateChartInput", "CreateChartReply", "CreateChartResult", "ParcelResponse", "CreateChartOK", "CreateChartNotFoundError"})
}

func TestWebhooksAndCallbacks(t *testing.T) {
	path, hook, back := operation("notify"), operation("notify"), operation("notify")
	back.Pointer = "#/paths/~1a/post/callbacks/x"
	path.Callbacks = []*ir.Callback{{Name: "x", Operation: back}}
	table := New(&ir.API{Operations: []*ir.Operation{path}, Webhooks: []*ir.Operation{hook}})
	for _, tt := range []struct {
		op           *ir.Operation
		method, base string
	}{{path, "Notify", "Notify"}, {hook, "Notify", "NotifyWebhook"}, {back, "Notify", "NotifyCallback"}} {
		if o := table.Op(tt.op); o.Method != tt.method || o.Base != tt.base {
			t.Errorf("got %+v, want method %s, base %s", o, tt.method, tt.base)
		}
	}
}

func TestParams(t *testing.T) {
	op := operation("getThing")
	for _, p := range [][2]string{
		{"cookie", "id"}, {"header", "id"}, {"query", "id"}, {"path", "id"},
		{"path", "order-id"}, {"path", "line.id"}, {"path", "type"}, {"query", "body"}, {"query", "StartTime<"}, {"query", "StartTime"},
	} {
		op.Params = append(op.Params, &ir.Param{In: p[0], Name: p[1]})
	}
	op.Params = append(op.Params, &ir.Param{In: "path", Name: "pet_id", GoName: "PetID"})
	table := New(&ir.API{Operations: []*ir.Operation{op}})
	var got []string
	for _, p := range op.Params {
		got = append(got, table.Param(op, p))
	}
	equal(t, "params", got, []string{
		"IDCookie", "IDHeader", "IDQuery", "ID", "OrderID", "LineID", "Type", "BodyQuery", "StartTimeLt", "StartTime", "PetID",
	})
}

func TestSchemesAndHeaders(t *testing.T) {
	s := &ir.SecurityScheme{Name: "api_key"}
	r := &ir.Response{ID: "#/r", Headers: []*ir.Param{{Name: "Body"}, {Name: "X-Rate-Limit"}, {Name: "status-code"}}}
	op := operation("a")
	op.Responses = []*ir.Response{r}
	table := New(&ir.API{Schemes: []*ir.SecurityScheme{s}, Operations: []*ir.Operation{op}})
	equal(t, "names", []string{
		table.Scheme(s), table.Header(r, r.Headers[0]), table.Header(r, r.Headers[1]), table.Header(r, r.Headers[2]),
	}, []string{"SchemeAPIKey", "BodyHeader", "XRateLimit", "StatusDashCode"})
}

func TestConflicts(t *testing.T) {
	a, b, c := component("a"), component("b"), component("c")
	a.GoName, b.GoName, c.GoName = "Same", "Same", "Client"
	table := New(&ir.API{Types: []*ir.Type{a, b, c}})
	if got := table.Conflicts(); len(got) != 2 {
		t.Fatalf("conflicts: %+v, want two", got)
	}
	if table.Type(a) == table.Type(b) {
		t.Errorf("both types are called %s", table.Type(a))
	}
}

// keys draws words that are likely to meet one another.
var keys = rapid.OneOf(
	rapid.SampledFrom([]string{
		"foo-bar", "foo_bar", "FooBar", "fooBar", "foo.bar", "_id", "id", "ID", "Id", "Client", "client", "API", "New",
		"FooBarRequest", "FooBarOK", "FooBarInput", "FooBarValue", "a", "-", "_", "", "1", "-1", "StateOpen", "State",
	}),
	rapid.StringMatching(`[a-cA-C_\-.]{0,4}`),
	rapid.String(),
)

// drawAPI makes a small document of schemas, enums, inline types and operations.
func drawAPI(t *rapid.T) *ir.API {
	api := &ir.API{}
	for _, key := range rapid.SliceOfNDistinct(keys, 0, 8, rapid.ID[string]).Draw(t, "components") {
		ty := component(key)
		if rapid.Bool().Draw(t, "enum") {
			ty = enum(key, rapid.SliceOfNDistinct(keys, 0, 4, rapid.ID[string]).Draw(t, "values")...)
		}
		for _, f := range rapid.SliceOfNDistinct(keys, 0, 4, rapid.ID[string]).Draw(t, "fields") {
			ty.Fields = append(ty.Fields, &ir.Field{Name: f})
		}
		api.Types = append(api.Types, ty)
	}
	for i, words := range rapid.SliceOfN(rapid.SliceOfN(keys, 1, 2), 0, 4).Draw(t, "inline") {
		api.Types = append(api.Types, inline(fmt.Sprintf("#/paths/%d", i), words...))
	}
	for _, id := range rapid.SliceOfNDistinct(keys, 0, 5, rapid.ID[string]).Draw(t, "operations") {
		op := operation(id)
		op.Responses = []*ir.Response{{Status: "200", ID: "#/200/" + id}, {Status: "404", ID: "#/404", Component: "NotFound"}}
		for _, in := range []string{"path", "query"} {
			for _, p := range rapid.SliceOfNDistinct(keys, 0, 3, rapid.ID[string]).Draw(t, in) {
				op.Params = append(op.Params, &ir.Param{In: in, Name: p})
			}
		}
		api.Operations = append(api.Operations, op)
	}
	return api
}

// packageNames lists every identifier of the package's scope with what it names.
func packageNames(api *ir.API, table *Table) map[string]string {
	out := map[string]string{}
	for _, ty := range api.Types {
		out["type "+ty.ID] = table.Type(ty)
		for _, v := range ty.Enum {
			out["const "+ty.ID+" "+v.Value.Text] = table.Const(ty, v)
		}
	}
	for _, op := range api.Operations {
		o := table.Op(op)
		out["request "+op.Key], out["response "+op.Key], out["result "+op.Key] = o.Request, o.Response, o.Result
		for _, r := range op.Responses {
			out["of "+op.Key+r.ID] = table.Response(op, r)
		}
	}
	for _, forms := range supports {
		out["support "+forms[0]] = table.Support(forms[0])
	}
	return out
}

// All identifiers of one scope differ, are legal and are exported.
func TestNamesAreDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		api := drawAPI(t)
		table := New(api)
		seen := map[string]string{"Client": "the client", "Service": "the service"}
		for what, name := range packageNames(api, table) {
			if !token.IsIdentifier(name) || !ast.IsExported(name) {
				t.Fatalf("%s is called %q", what, name)
			}
			if other, ok := seen[name]; ok {
				t.Fatalf("%s and %s are both called %s", what, other, name)
			}
			seen[name] = what
		}
		for _, ty := range api.Types {
			fields := map[string]bool{"DecodeJSON": true, "Validate": true}
			for _, f := range ty.Fields {
				name := table.Field(ty, f)
				if fields[name] || !ast.IsExported(name) {
					t.Fatalf("field %q of %q is called %q", f.Name, ty.ID, name)
				}
				fields[name] = true
			}
		}
	})
}

// The order of the document is of no account.
func TestOrderIsOfNoAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		api := drawAPI(t)
		before := packageNames(api, New(api))
		api.Types = rapid.Permutation(api.Types).Draw(t, "types")
		api.Operations = rapid.Permutation(api.Operations).Draw(t, "operations")
		after := packageNames(api, New(api))
		for what, name := range before {
			if after[what] != name {
				t.Fatalf("%s was %s and is %s", what, name, after[what])
			}
		}
	})
}

// met reports whether a name, or what it was before a form of its own was put behind
// it, is one of those that a new part asks for.
func met(name string, meets map[string]bool) bool {
	for m := range meets {
		if strings.HasPrefix(name, m) {
			return true
		}
	}
	return false
}

// ownerOf is the type that a constant belongs to.
func ownerOf(what string, api *ir.API) (string, bool) {
	for _, ty := range api.Types {
		for _, v := range ty.Enum {
			if what == "const "+ty.ID+" "+v.Value.Text {
				return "type " + ty.ID, true
			}
		}
	}
	return "", false
}

// A new part renames nothing that it does not meet, and no part of an earlier layer.
func TestAddingRenamesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		api := drawAPI(t)
		if len(api.Types) == 0 {
			return
		}
		whole := packageNames(api, New(api))
		cut := rapid.IntRange(0, len(api.Types)-1).Draw(t, "cut")
		added := api.Types[cut]
		less := *api
		less.Types = slices.Delete(slices.Clone(api.Types), cut, cut+1)
		before := packageNames(&less, New(&less))
		// What the new type and its constants are called, and what they ask for first.
		meets := map[string]bool{Exported(added.Name...): true, Spelled(added.Name[0]): true, "ClientModel": true, "ServiceModel": true}
		for what, name := range whole {
			if _, old := before[what]; !old {
				meets[name] = true
			}
		}
		for what, name := range before {
			if owner, ok := ownerOf(what, api); ok && whole[owner] != before[owner] {
				continue // a constant goes by its type's name
			}
			if whole[what] != name && !met(name, meets) {
				t.Fatalf("adding %q renamed %s from %s to %s", added.Name, what, name, whole[what])
			}
		}
		// Operations never rename a type.
		types := *api
		types.Operations = nil
		alone := packageNames(&types, New(&types))
		for _, ty := range api.Types {
			if got, want := alone["type "+ty.ID], whole["type "+ty.ID]; got != want {
				t.Fatalf("with operations %q is %s, without %s", ty.ID, want, got)
			}
		}
	})
}
