package resilience

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The grammar of the language: which fields stand where, and what they take. A
// field of the shape pending, a word among soon and a primitive with pending sides
// are checked as all others, and this version does not act on them yet: whoever
// builds one takes its mark away here, in one place.

// side is a side of the wire, or both.
type side uint8

const (
	clientSide side = 1 << iota
	serverSide
	bothSides = clientSide | serverSide
)

func (s side) String() string {
	switch s {
	case clientSide:
		return "client"
	case serverSide:
		return "server"
	default:
		return "both sides"
	}
}

// primitive is one primitive of the language.
type primitive struct {
	name string
	// bare is where a bare field goes, may the sides whose block may hold it.
	bare, may side
	object    *object
	// presets says that a string names one.
	presets bool
	// tier is another word for preset.
	tier bool
	// list is the field that a list in the place of the primitive stands for.
	list string
	// pending are the sides on which this version does not act on it yet.
	pending side
}

// primitives in the order of the documentation.
var primitives = []*primitive{
	{name: "timeout", bare: bothSides, may: bothSides, object: timeoutObject, presets: true},
	{name: "deadline", bare: bothSides, may: bothSides, object: deadlineObject},
	{name: "idempotency", bare: bothSides, may: bothSides, object: idempotencyObject},
	{name: "cache", bare: bothSides, may: bothSides, object: cacheObject, presets: true},
	{name: "concurrency", bare: bothSides, may: bothSides, object: concurrencyObject},
	{name: "retry", bare: clientSide, may: clientSide, object: retryObject, presets: true},
	{name: "hedge", bare: clientSide, may: clientSide, object: hedgeObject},
	{name: "breaker", bare: clientSide, may: clientSide, object: breakerObject, presets: true},
	{name: "bulkhead", bare: clientSide, may: bothSides, object: bulkheadObject, presets: true, tier: true},
	{name: "fallback", bare: clientSide, may: clientSide, object: fallbackObject, presets: true, list: "rungs"},
	{name: "pages", bare: clientSide, may: clientSide, object: pagesObject, pending: clientSide},
	{name: "poll", bare: clientSide, may: clientSide, object: pollObject, pending: clientSide},
	{name: "stream", bare: clientSide, may: clientSide, object: streamObject},
	{name: "resume", bare: clientSide, may: clientSide, object: resumeObject, pending: clientSide},
	{name: "rateLimit", bare: serverSide, may: bothSides, object: rateLimitObject, presets: true, tier: true},
	{name: "lock", bare: serverSide, may: serverSide, object: lockObject},
	{name: "shed", bare: serverSide, may: serverSide, object: shedObject},
	{name: "consumer", bare: serverSide, may: serverSide, object: consumerObject, pending: serverSide},
	{name: "outbox", bare: serverSide, may: serverSide, object: outboxObject, pending: serverSide},
}

func primitiveOf(name string) *primitive {
	for _, p := range primitives {
		if p.name == name {
			return p
		}
	}
	return nil
}

// common are the fields of a policy that belong to the operation as a whole.
var common = map[string]shape{
	"effect":      choice{words: []string{"read", "idempotent", "write"}},
	"criticality": choice{words: []string{"critical", "standard", "optional"}},
	"dependency":  dependencyName,
	"flaky":       flag{},
	"use":         policyName,
	"waive":       waivers{},
}

// policyKeys are the keys of a policy, in the order of the documentation.
func policyKeys() []string {
	keys := []string{"use", "effect", "dependency", "criticality", "flaky"}
	for _, p := range primitives {
		keys = append(keys, p.name)
	}
	return append(keys, "variants", "client", "server", "waive")
}

// sideKeys are the keys of a client or server block.
func sideKeys(s side) []string {
	var keys []string
	if s == clientSide {
		keys = append(keys, "effect", "criticality")
	}
	for _, p := range primitives {
		if p.may&s != 0 {
			keys = append(keys, p.name)
		}
	}
	return keys
}

// rootKeys are the keys of the extension at the root of a document.
var rootKeys = []string{
	"version", "dependency", "external", "replicas", "defaults", "policies", "presets", "sources", "servers",
	"apply", "profiles", "sagas", "aggregates", "edge",
}

// Names of the user's.
var (
	dependencyName = text{"a name of letters, digits, dots, dashes, slashes and underscores", fitsName}
	policyName     = text{"a name of letters, digits, dots, dashes, slashes and underscores", fitsName}
	entryName      = text{"a name of letters, digits, dots, dashes, slashes and underscores", fitsName}
	headerName     = text{"the name of a header", fitsHeader}
	planName       = text{"the name of a plan", fitsLine}
	operationName  = text{"an operationId", fitsLine}
	parameterName  = text{"the name of a parameter", fitsLine}
	pointerText    = text{"a JSON pointer such as /error/code", fitsPointer}
)

func fitsName(s string) bool {
	const most = 100
	if s == "" || len(s) > most || strings.IndexByte("._-/", s[0]) >= 0 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-/", c) >= 0) {
			return false
		}
	}
	return true
}

// fitsLine reports whether s is a line of text, as names that others have chosen
// are: operationIds, say.
func fitsLine(s string) bool {
	const most = 500
	for _, c := range s {
		if unicode.IsControl(c) {
			return false
		}
	}
	return s != "" && len(s) <= most && utf8.ValidString(s)
}

func fitsNetwork(s string) bool {
	if _, err := netip.ParsePrefix(s); err == nil {
		return true
	}
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == ""
}

// fitsToken reports whether s is a token of RFC 9110, as names of headers are.
func fitsToken(s string) bool {
	const most = 200
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// fitsHeader reports whether s may name a header. The star of a Vary header is none: a
// cache that varies by everything keeps nothing, which is what cache: false says.
func fitsHeader(s string) bool { return s != "*" && fitsToken(s) }

func fitsPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// Bounds that only keep mistakes and machines apart.
const (
	manyCalls = 100_000
	manySlots = 1_000_000
	manyUnits = 1_000_000_000
)

var timeoutObject = &object{
	fields: []field{
		{"connect", duration{}},
		{"attempt", duration{}},
		{"total", duration{none: true}},
		{"idle", duration{}},
		{"floor", duration{}},
		{"server", duration{}},
		{"p999", duration{}},
		{"headroom", decimal{low: 1, high: 100}},
		{"adaptive", flag{}},
		{"ceiling", duration{}},
		{"share", decimal{low: 0, high: 1, above: true}},
	},
	alternatives: [][][]string{{{"attempt"}, {"p999"}}},
}

var deadlineObject = &object{
	fields: []field{
		{"propagate", flag{}},
		{"trust", flag{}},
		{"reserve", duration{zero: true}},
		{"header", choice{words: []string{
			"x-request-deadline-ms", "grpc-timeout", "connect-timeout-ms", "x-envoy-expected-rq-timeout-ms", "x-server-timeout",
		}}},
	},
}

var retryObject = &object{
	fields: []field{
		{"maxAttempts", integer{1, 10}},
		{"baseDelay", duration{zero: true}},
		{"maxDelay", duration{}},
		{"jitter", choice{words: []string{"full", "equal", "decorrelated", "none"}}},
		{"statuses", list{item: status{}}},
		{"never", list{item: status{}}},
		{"errors", list{item: choice{words: errorWords}}},
		{"rules", mapping{entryName, ruleObject}},
		{"wait", mapping{entryName, hintObject}},
		{"maxRetryAfter", duration{}},
		{"planRetryAfter", flag{}},
		{"budget", switched{budgetObject}},
		{"shrink", optional{shrinkObject}},
		{"safety", choice{words: []string{"effect", "always"}}},
	},
}

var errorWords = []string{"connect", "reset", "timeout", "eof", "dns", "tls"}

var shrinkObject = &object{
	fields: []field{
		{"pointer", pointerText},
		{"factor", decimal{low: 0, high: 1, above: true}},
		{"keepFirst", integer{0, manySlots}},
	},
	needs: []string{"pointer"},
}

var ruleObject = &object{
	fields: []field{
		{"status", list{item: status{}, some: true, single: true}},
		{"header", mapping{headerName, literal{}}},
		{"body", mapping{pointerText, list{item: literal{}, some: true, single: true}}},
		{"error", list{item: choice{words: errorWords}, some: true, single: true}},
		{"do", choice{words: []string{"success", "shrink", "stop", "fallback", "retry"}}},
		{"wait", duration{zero: true}},
		{"refused", flag{}},
	},
	alternatives: [][][]string{{{"status", "header", "body"}, {"error"}}},
}

var hintObject = &object{
	fields: []field{
		{"header", headerName},
		{"body", pointerText},
		{"as", choice{words: []string{"seconds", "ms", "epoch", "duration", "date"}}},
		{"when", mapping{headerName, literal{}}},
	},
	alternatives: [][][]string{{{"header"}, {"body"}}},
}

var budgetObject = &object{
	fields: []field{
		{"ratio", decimal{low: 0, high: 10}},
		{"minPerSecond", decimal{low: 0, high: 1e6}},
		{"window", duration{}},
	},
}

var breakerObject = &object{
	fields: []field{
		{"scope", choice{words: []string{"dependency", "host", "operation"}}},
		{"key", list{item: expression{}, some: true}},
		{"window", windowObject},
		{"failureThreshold", integer{1, manyCalls}},
		{"minTime", duration{zero: true}},
		{"failureRate", decimal{low: 0, high: 1, above: true}},
		{"minCalls", integer{1, manyCalls}},
		{"slowCall", duration{}},
		{"recovery", duration{}},
		{"backoff", decimal{low: 1, high: 100}},
		{"maxRecovery", duration{}},
		{"probes", integer{1, 1000}},
	},
	alternatives: [][][]string{{{"scope"}, {"key"}}, {{"failureThreshold"}, {"failureRate"}}},
}

var windowObject = &object{
	fields:       []field{{"count", integer{1, manyCalls}}, {"time", duration{}}},
	alternatives: [][][]string{{{"count"}, {"time"}}},
}

var bulkheadObject = &object{
	fields: []field{
		{"name", entryName},
		{"maxConcurrent", integer{1, manySlots}},
		{"queue", integer{0, manySlots}},
		{"timeout", duration{}},
		{"hold", duration{none: true}},
		{"onFull", choice{words: []string{"queue", "abort", "discard", "caller-runs"}}},
		{"adaptive", flag{}},
	},
}

// limitFields are those of one limit, of which buckets hold several.
var limitFields = []field{
	{"algorithm", choice{words: []string{"token-bucket", "sliding-window", "sliding-counter"}}},
	{"limit", integer{1, manyUnits}},
	{"per", duration{}},
	{"burst", integer{1, manyUnits}},
	{"key", list{item: valueShape{}}},
	{"cost", costShape{}},
	{"refund", list{item: status{}}},
	{"wait", duration{zero: true}},
	{"onStoreError", choice{words: []string{"local", "allow", "deny"}}},
	{"at", choice{words: []string{"early", "after-auth"}}},
	{"plan", optional{planObject}},
	{"sync", optional{syncObject}},
	{"trustedProxies", list{item: text{"an address or a network such as 10.0.0.0/8", fitsNetwork}}},
}

// oneLimit are the ways to say how much a bucket lets pass.
var oneLimit = [][]string{{"limit", "per", "burst", "algorithm"}, {"plan"}}

var planObject = &object{
	fields: []field{
		{"from", valueShape{}},
		{"map", mapping{planName, tierShape{}}},
		{"else", tierShape{}},
	},
	needs: []string{"from", "else"},
}

var syncObject = &object{
	fields: []field{
		{"remaining", headerName},
		{"reset", headerName},
		{"as", choice{words: []string{"seconds", "ms", "epoch", "duration", "date"}}},
		{"bucket", headerName},
	},
}

var bucketObject = &object{fields: limitFields, also: []string{"tier", "preset"}, alternatives: [][][]string{oneLimit}}

var rateLimitObject = &object{
	fields:       append([]field{{"buckets", mapping{entryName, bucketShape{}}}}, limitFields...),
	alternatives: [][][]string{oneLimit, {{"limit", "per", "burst", "algorithm", "key", "cost", "refund", "wait", "at", "plan", "sync", "onStoreError"}, {"buckets"}}},
}

var idempotencyObject = &object{
	fields: []field{
		{"header", headerName},
		{"quoted", flag{}},
		{"key", choice{words: []string{"caller", "derived", "per-call"}}},
		{"from", list{item: expression{}, some: true}},
		{"scope", expression{orEmpty: true}},
		{"required", flag{}},
		{"ttl", duration{}},
		{"lease", duration{}},
		{"within", choice{words: []string{"lease", "transaction"}}},
		{"fingerprint", choice{words: []string{"request", "from"}}},
		{"maxBody", size{}},
		{"onStoreError", choice{words: []string{"deny", "allow"}}},
	},
}
