package emit

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	statusesType = reflect.TypeFor[policy.Statuses]()
	errorSetType = reflect.TypeFor[policy.ErrorSet]()
	failuresType = reflect.TypeFor[policy.FailureSet]()
)

// literal writes a value of package policy with the fields that are not zero.
func (p *policies) literal(v reflect.Value) *jen.Statement {
	switch t := v.Type(); {
	case t == durationType:
		return durationExpr(time.Duration(v.Int()))
	case t == statusesType:
		return statusesExpr(v.Interface().(policy.Statuses))
	case t == errorSetType:
		return bitsExpr(v.Uint(), uint64(policy.AllErrors), "AllErrors", errorNames)
	case t == failuresType:
		return bitsExpr(v.Uint(), 0, "", failureNames)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if name := p.names[policyKey(v.Elem().Interface())]; name != "" {
			return jen.Op("&").Id(name)
		}
		return jen.Op("&").Add(p.literal(v.Elem()))
	case reflect.Struct:
		return p.structure(v, jen.Qual(pkgPolicy, v.Type().Name()))
	case reflect.Slice:
		return p.list(v)
	case reflect.String:
		return jen.Lit(v.String())
	case reflect.Bool:
		return jen.Lit(v.Bool())
	case reflect.Float64:
		return jen.Lit(v.Float())
	case reflect.Uint8:
		return jen.Qual(pkgPolicy, policyConst(v))
	default:
		return jen.Lit(int(v.Int()))
	}
}

// tallFrom is the number of fields from which a literal has one a line.
const tallFrom = 4

func (p *policies) structure(v reflect.Value, typ *jen.Statement) *jen.Statement {
	var pairs []pair
	nested := false
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			pairs = append(pairs, pair{v.Type().Field(i).Name, p.member(f)})
			nested = nested || f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice
		}
	}
	if len(pairs) >= tallFrom || nested && len(pairs) > 1 {
		return tall(typ, pairs...)
	}
	return ordered(typ, pairs...)
}

func (p *policies) list(v reflect.Value) *jen.Statement {
	elem := v.Type().Elem()
	list := jen.Index()
	if elem.PkgPath() == "" {
		list = list.Id(elem.Name())
	} else {
		list = list.Qual(pkgPolicy, elem.Name())
	}
	items := make([]jen.Code, v.Len())
	for i := range items {
		if elem.Kind() == reflect.Struct {
			items[i] = p.structure(v.Index(i), jen.Null())
		} else {
			items[i] = p.literal(v.Index(i))
		}
	}
	return list.Values(items...)
}

// durationUnits are the units of durations, the largest first.
var durationUnits = []struct {
	size time.Duration
	name string
}{
	{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"},
	{time.Microsecond, "Microsecond"}, {time.Nanosecond, "Nanosecond"},
}

// durationExpr is a duration in the largest unit that holds it whole.
//
//	800 * time.Millisecond
func durationExpr(d time.Duration) *jen.Statement {
	if d == policy.None {
		return jen.Qual(pkgPolicy, "None")
	}
	for _, u := range durationUnits {
		if d%u.size != 0 {
			continue
		}
		if d == u.size {
			return jen.Qual("time", u.name)
		}
		return number(strconv.FormatInt(int64(d/u.size), 10)).Op("*").Qual("time", u.name)
	}
	return number(strconv.FormatInt(int64(d), 10))
}

// statusesExpr is a set of statuses.
//
//	policy.StatusSet(408, 425, 429).Range(500, 599)
func statusesExpr(s policy.Statuses) *jen.Statement {
	var single []jen.Code
	var spans []policy.Span
	for _, span := range s.Spans() {
		if span.High-span.Low < 2 {
			for code := span.Low; code <= span.High; code++ {
				single = append(single, jen.Lit(code))
			}
			continue
		}
		spans = append(spans, span)
	}
	out := jen.Qual(pkgPolicy, "StatusSet").Call(single...)
	for _, span := range spans {
		out = out.Dot("Range").Call(jen.Lit(span.Low), jen.Lit(span.High))
	}
	return out
}

// errorNames are the classes of errors, in the order of their bits.
var errorNames = []string{"ConnectErrors", "ResetErrors", "TimeoutErrors", "EOFErrors", "DNSErrors", "TLSErrors"}

// failureNames are the kinds of failures, in the order of their bits.
var failureNames = []string{"AfterTimeout", "AfterConnect", "AfterBreakerOpen", "AfterBulkheadFull", "AfterRateLimited"}

// bitsExpr is a set of bits by their names; one that has all of them is allName.
//
//	policy.ConnectErrors | policy.DNSErrors
func bitsExpr(set, all uint64, allName string, bits []string) *jen.Statement {
	if set == all && set != 0 {
		return jen.Qual(pkgPolicy, allName)
	}
	var out *jen.Statement
	for i, name := range bits {
		if set&(1<<i) == 0 {
			continue
		}
		if out == nil {
			out = jen.Qual(pkgPolicy, name)
		} else {
			out = out.Op("|").Qual(pkgPolicy, name)
		}
	}
	if out == nil {
		return number("0")
	}
	return out
}

// policyConsts are the constants of the enumerations, in the order of their values.
var policyConsts = map[string][]string{
	"Effect":          {"Write", "Idempotent", "Read"},
	"Criticality":     {"Standard", "Critical", "Optional"},
	"Mode":            {"Enforce", "Shadow"},
	"Algorithm":       {"TokenBucket", "SlidingWindow", "SlidingCounter"},
	"CacheScope":      {"CachePrivate", "CachePublic", "CacheNoStore"},
	"CacheStore":      {"CacheInMemory", "CacheInRedis"},
	"StreamRetry":     {"StreamRetryBeforeFirst", "StreamRetryNever"},
	"IfMatch":         {"IfMatchOptional", "IfMatchRequired"},
	"LimitStoreError": {"LimitLocally", "LimitAllow", "LimitDeny"},
	"LockBackend":     {"LockRedis", "LockRedlock", "LockPostgres"},
	"RungKind": {
		"RungNone", "RungServer", "RungOperation", "RungCache", "RungSemanticCache", "RungHandler", "RungStatic", "RungEmpty", "RungQueue",
	},
	"Within":         {"WithinLease", "WithinTransaction"},
	"Action":         {"DoRetry", "DoStop", "DoSuccess", "DoFallback", "DoShrink"},
	"DeadlineHeader": {"RequestDeadlineMS", "GRPCTimeout", "ConnectTimeoutMS", "EnvoyExpectedTimeoutMS", "ServerTimeoutHeader"},
	"Fingerprint":    {"FingerprintRequest", "FingerprintFrom"},
	"HintUnit":       {"HintSeconds", "HintMillis", "HintEpoch", "HintDuration", "HintDate"},
	"Jitter":         {"JitterFull", "JitterEqual", "JitterDecorrelated", "JitterNone"},
	"KeySource":      {"KeyCaller", "KeyDerived", "KeyPerCall"},
	"OnFull":         {"OnFullQueue", "OnFullAbort", "OnFullCallerRuns", "OnFullDiscard"},
	"OnStoreError":   {"DenyOnStoreError", "AllowOnStoreError"},
	"Safety":         {"SafetyEffect", "SafetyAlways"},
	"Scope":          {"ScopeDependency", "ScopeHost", "ScopeOperation"},
	"Stage":          {"Early", "AfterAuth"},
	"Source": {
		"FromNothing", "FromPath", "FromQuery", "FromHeader", "FromBody", "FromRequest", "FromResponseHeader", "FromResponseBody",
		"FromStatus", "FromURL", "FromMethod", "FromPrincipal", "FromClaim", "FromIP", "FromOperation", "FromFunc",
	},
}

// policyConst is the constant of an enumeration's value. It panics on one that the
// table lacks, which only a change of package policy can bring.
func policyConst(v reflect.Value) string {
	list, n := policyConsts[v.Type().Name()], int(v.Uint())
	if n >= len(list) {
		panic(fmt.Sprintf("emit: no name for %s(%d)", v.Type().Name(), n))
	}
	return list[n]
}

// policyText is a policy as text, all of it, for comparing.
func policyText(v reflect.Value) string {
	var b strings.Builder
	writePolicyText(&b, v)
	return b.String()
}

func writePolicyText(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("-")
			return
		}
		writePolicyText(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				b.WriteString(v.Type().Field(i).Name)
				b.WriteByte(':')
				writePolicyText(b, f)
				b.WriteByte(' ')
			}
		}
		b.WriteByte('}')
	case reflect.Slice, reflect.Array:
		b.WriteByte('[')
		for i := range v.Len() {
			writePolicyText(b, v.Index(i))
			b.WriteByte(' ')
		}
		b.WriteByte(']')
	default:
		fmt.Fprintf(b, "%#v", v.Interface())
	}
}
