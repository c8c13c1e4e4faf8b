package emit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Each value of an enumeration of package policy has a constant, and the words of the
// two are the same.
func TestPolicyConstants(t *testing.T) {
	for _, v := range []any{
		policy.Effect(0), policy.Criticality(0), policy.Mode(0), policy.Action(0), policy.DeadlineHeader(0), policy.Fingerprint(0),
		policy.HintUnit(0), policy.Jitter(0), policy.KeySource(0), policy.OnFull(0), policy.OnStoreError(0), policy.Safety(0),
		policy.Scope(0), policy.Stage(0), policy.Algorithm(0), policy.CacheScope(0), policy.CacheStore(0), policy.IfMatch(0),
		policy.LimitStoreError(0), policy.LockBackend(0), policy.RungKind(0), policy.Within(0),
	} {
		typ := reflect.TypeOf(v)
		n := 0
		for ; ; n++ {
			value := reflect.New(typ).Elem()
			value.SetUint(uint64(n))
			if fmt.Sprint(value.Interface()) == "unknown" {
				break
			}
		}
		if got := len(policyConsts[typ.Name()]); got != n {
			t.Errorf("policy.%s has %d values, %d have constants", typ.Name(), n, got)
		}
	}
}

// The tables have the constants of package policy in the order of their values.
func TestPolicyConstantsAreThoseOfThePackage(t *testing.T) {
	files, err := filepath.Glob("../../../runtime/policy/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := map[string][]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			typ := ""
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec) //nolint:forcetypeassert // All specs of a constant are values.
				if name, ok := spec.Type.(*ast.Ident); ok {
					typ = name.Name
				} else if len(spec.Values) > 0 {
					typ = "" // a constant that is made of others
				}
				found[typ] = append(found[typ], spec.Names[0].Name)
			}
		}
	}
	tables := maps.Clone(policyConsts)
	tables["ErrorSet"], tables["FailureSet"] = errorNames, failureNames
	for typ, names := range tables {
		if d := cmp.Diff(found[typ], names); d != "" {
			t.Errorf("policy.%s (-package +table):\n%s", typ, d)
		}
	}
}

func TestPolicyLiterals(t *testing.T) {
	p := newPolicies()
	p.settle()
	for want, v := range map[string]any{
		"800 * time.Millisecond": 800 * time.Millisecond,
		"time.Second":            time.Second,
		"90 * time.Second":       90 * time.Second,
		"policy.None":            policy.None,
		"policy.StatusSet(408, 425).Range(500, 599)": policy.StatusSet(408, 425).Range(500, 599),
		"policy.ConnectErrors | policy.DNSErrors":    policy.ConnectErrors | policy.DNSErrors,
		"policy.AllErrors":                           policy.AllErrors,
		"policy.Budget{Ratio: 0.2}":                  policy.Budget{Ratio: 0.2},
		`policy.Client{Effect: policy.Read}`:         policy.Client{Effect: policy.Read},
		`policy.Idempotency{From: []policy.Expr{{Source: policy.FromBody, Name: "/a"}}}`: policy.Idempotency{
			From: []policy.Expr{{Source: policy.FromBody, Name: "/a"}},
		},
		"policy.AfterTimeout | policy.AfterRateLimited": policy.AfterTimeout | policy.AfterRateLimited,
		`policy.Fallback{ Rungs: []policy.Rung{{ Kind: policy.RungStatic, Name: "a\"b", Status: 200, Body: "{}", }}, After: policy.AfterConnect, }`: policy.Fallback{
			Rungs: []policy.Rung{{Kind: policy.RungStatic, Name: `a"b`, Status: 200, Body: "{}"}}, After: policy.AfterConnect,
		},
		`policy.Cache{ Vary: []string{"Accept"}, MaxBytes: 7, }`: policy.Cache{Vary: []string{"Accept"}, MaxBytes: 7},
		`policy.Lock{Keys: []policy.Template{{Parts: []policy.TemplatePart{{Text: "a/"}, {Expr: policy.Expr{Source: policy.FromIP}}}}}}`: policy.Lock{
			Keys: []policy.Template{{Parts: []policy.TemplatePart{{Text: "a/"}, {Expr: policy.Expr{Source: policy.FromIP}}}}},
		},
		`policy.Bucket{Plan: &policy.Plan{ From: policy.Expr{Source: policy.FromFunc, Name: "f"}, Tiers: []policy.PlanTier{{Plan: "g", Rate: policy.Rate{Limit: 1}}}, }}`: policy.Bucket{
			Plan: &policy.Plan{From: policy.Expr{Source: policy.FromFunc, Name: "f"}, Tiers: []policy.PlanTier{{Plan: "g", Rate: policy.Rate{Limit: 1}}}},
		},
	} {
		if got := fmt.Sprintf("%#v", p.literal(reflect.ValueOf(v))); strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

// Policies that are equal are written once, whatever the order of the operations.
func TestPoliciesAreShared(t *testing.T) {
	read := policy.Client{Effect: policy.Read, Timeout: &policy.Timeout{Attempt: time.Second}}
	slow := policy.Client{Effect: policy.Read, Timeout: &policy.Timeout{Attempt: time.Minute}}
	once := policy.Client{Effect: policy.Read, Timeout: &policy.Timeout{Attempt: time.Hour}}
	name := func(order ...policy.Client) []string {
		p := newPolicies()
		for _, c := range order {
			p.count(&ir.Operation{Policy: ir.Policy{Client: c}})
		}
		p.settle()
		var out []string
		for _, c := range []policy.Client{read, slow, once} {
			out = append(out, p.names[policyKey(c)])
		}
		return out
	}
	a := name(read, read, read, slow, slow, once)
	b := name(slow, once, read, slow, read, read)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the order counts: %v, %v", a, b)
	}
	if a[0] != "policyReadClient" || !strings.HasPrefix(a[1], "policyReadClient_") || a[2] != "" {
		t.Errorf("names: %v", a)
	}
}

func TestEscapeLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"/a/b:run":  "/a/b:run",
		"/a b":      "/a%20b",
		"/100%":     "/100%25",
		"/ü":        "/%C3%BC",
		"/a?b#c":    "/a%3Fb%23c",
		`/"<>\^{|}`: "/%22%3C%3E%5C%5E%7B%7C%7D",
		"/a,b;c=d@": "/a,b;c=d@",
		"/~_-.!$&'": "/~_-.!$&'",
		"/(*+)":     "/(*+)",
	} {
		if got := escapeLiteral(text); got != want {
			t.Errorf("%s is sent as %s, want %s", text, got, want)
		}
	}
}

func TestNextExpression(t *testing.T) {
	for _, tt := range []struct{ text, literal, expr, rest string }{
		{"{$request.body#/url}", "", "$request.body#/url", ""},
		{"https://x/{$request.query.id}/y", "https://x/", "$request.query.id", "/y"},
		{"$request.body#/url", "", "$request.body#/url", ""},
		{"https://x/y", "https://x/y", "", ""},
		{"https://x/{broken", "https://x/{broken", "", ""},
	} {
		literal, expr, rest := nextExpression(tt.text)
		if literal != tt.literal || expr != tt.expr || rest != tt.rest {
			t.Errorf("%s is %q, %q, %q", tt.text, literal, expr, rest)
		}
	}
}

// responding is an operation with a response for each status.
func responding(statuses ...string) *ir.Operation {
	op := &ir.Operation{ID: "get", Key: "get", Name: []string{"get"}, Method: "GET", Path: "/"}
	for _, s := range statuses {
		op.Responses = append(op.Responses, &ir.Response{Status: s, ID: "#/" + s})
	}
	return op
}

func jsonContent(t *ir.Type) []*ir.Content {
	return []*ir.Content{{MediaType: "application/json", Kind: ir.ContentJSON, Use: use(t)}}
}

// The form of a result follows from the successes alone.
func TestResultForms(t *testing.T) {
	str := scalar(ir.String)
	for what, tt := range map[string]struct {
		op   func() *ir.Operation
		form resultForm
	}{
		"nothing declared": {func() *ir.Operation { return responding() }, resultNone},
		"failures alone":   {func() *ir.Operation { return responding("404", "5XX") }, resultNone},
		"one without a body": {
			func() *ir.Operation { return responding("204", "404") }, resultNone,
		},
		"one body": {func() *ir.Operation {
			op := responding("200", "default")
			op.Responses[0].Contents = jsonContent(str)
			return op
		}, resultPlain},
		"a range": {func() *ir.Operation {
			op := responding("2XX")
			op.Responses[0].Contents = jsonContent(str)
			return op
		}, resultStruct},
		"headers": {func() *ir.Operation {
			op := responding("204")
			op.Responses[0].Headers = []*ir.Param{{Name: "X-A", In: "header", Style: "simple", Use: use(str)}}
			return op
		}, resultStruct},
		"two of one type": {func() *ir.Operation {
			op := responding("200", "201")
			op.Responses[0].Contents, op.Responses[1].Contents = jsonContent(str), jsonContent(str)
			return op
		}, resultStruct},
		"two types": {func() *ir.Operation {
			op := responding("200", "201")
			op.Responses[0].Contents = jsonContent(str)
			return op
		}, resultSealed},
		"two media types": {func() *ir.Operation {
			op := responding("200")
			op.Responses[0].Contents = append(jsonContent(str), &ir.Content{MediaType: "text/csv", Kind: ir.ContentText})
			return op
		}, resultSealed},
		"default alone": {func() *ir.Operation { return responding("default") }, resultStruct},
	} {
		api := &ir.API{Title: "a", Operations: []*ir.Operation{tt.op()}}
		e := newEmitter(api, names.New(api), Options{Package: "p"})
		if got := e.groups()[0].ops[0].result.form; got != tt.form {
			t.Errorf("%s: form %d, want %d", what, got, tt.form)
		}
	}
}
