package policyfile

// entry is one field of an object of the language.
type entry struct {
	name string
	// fits says what is wrong with a value; empty for one that may stand there.
	fits func(*Node) string
	// fixed, where it is not empty, says why a file cannot change the field.
	fixed string
	// fields are those of an object, entries those of the members of a map with
	// names of the document's own.
	fields  []entry
	entries []entry
	// off says that false may stand here as well.
	off bool
}

// side is a side of the wire, or both.
type side uint8

const (
	clientSide side = 1 << iota
	serverSide
	bothSides = clientSide | serverSide
)

// primitive is one primitive of the language.
type primitive struct {
	name string
	// bare is where a bare field goes, may the sides whose block may hold it.
	bare, may side
	fields    []entry
	// duration says that a string with a digit in front is a short form.
	duration bool
	// fixed, where it is not empty, says why a file cannot change it at all.
	fixed string
}

// Why a field cannot change in a running program.
const (
	isStructure = "what calls share, and by which key, is decided when code is generated"
	isWire      = "both sides of the wire have to agree on it, so it is decided when code is generated"
	isCondition = "which calls it is about is decided when code is generated"
	isPreset    = "presets are resolved when code is generated: write the numbers"
	isSafety    = "what may be repeated safely is decided when code is generated"
	isPrivacy   = "who may see an answer, and for how long it holds for sure, is decided when code is generated"
	isContract  = "it is a part of the generated code"
)

// primitives in the order of the language's documentation.
var primitives = []*primitive{
	{name: "timeout", bare: bothSides, may: bothSides, fields: timeoutFields, duration: true},
	{name: "deadline", bare: bothSides, may: bothSides, fields: deadlineFields},
	{name: "idempotency", bare: bothSides, may: bothSides, fields: idempotencyFields},
	{name: "cache", bare: bothSides, may: bothSides, fields: cacheFields},
	{name: "concurrency", bare: bothSides, may: bothSides, fields: concurrencyFields},
	{name: "retry", bare: clientSide, may: clientSide, fields: retryFields},
	{name: "hedge", bare: clientSide, may: clientSide, fields: hedgeFields},
	{name: "breaker", bare: clientSide, may: clientSide, fields: breakerFields},
	{name: "bulkhead", bare: clientSide, may: bothSides, fields: bulkheadFields},
	{name: "fallback", bare: clientSide, may: clientSide, fields: fallbackFields},
	{name: "pages", bare: clientSide, may: clientSide, fixed: isContract},
	{name: "poll", bare: clientSide, may: clientSide, fixed: isContract},
	{name: "stream", bare: clientSide, may: clientSide, fields: streamFields},
	{name: "resume", bare: clientSide, may: clientSide, fixed: isContract},
	{name: "rateLimit", bare: serverSide, may: bothSides, fields: rateLimitFields},
	{name: "lock", bare: serverSide, may: serverSide, fields: lockFields},
	{name: "shed", bare: serverSide, may: serverSide, fields: shedFields},
	{name: "consumer", bare: serverSide, may: serverSide, fixed: isContract},
	{name: "outbox", bare: serverSide, may: serverSide, fixed: isContract},
}

func primitiveOf(name string) *primitive {
	for _, p := range primitives {
		if p.name == name {
			return p
		}
	}
	return nil
}

// policyFields are the fields of a policy that are no primitives.
var policyFields = []entry{
	{name: "criticality", fits: oneOf("critical", "standard", "optional")},
	{name: "effect", fixed: isSafety},
	{name: "dependency", fixed: isStructure},
	{name: "flaky", fixed: "it is for the checks when code is generated"},
	{name: "waive", fixed: "it is for the checks when code is generated"},
	{name: "use", fixed: "policies are put together when code is generated: write the numbers"},
	{name: "variants", fixed: isCondition},
}

// rootFields are the fields of the language's root object that stand in a document.
var rootFields = []entry{
	{name: "defaults", fixed: "defaults stand below what the document writes for an operation, and a program does not know any more what that was: write all"},
	{name: "dependency", fixed: isStructure},
	{name: "replicas", fixed: isStructure},
	{name: "external", fixed: isWire},
	{name: "policies", fixed: isPreset},
	{name: "presets", fixed: isPreset},
	{name: "apply", fixed: "selectors are resolved when code is generated: write operations"},
	{name: "sources", fixed: isContract},
	{name: "servers", fixed: isContract},
	{name: "sagas", fixed: isContract},
	{name: "aggregates", fixed: isContract},
	{name: "edge", fixed: isContract},
}

// Bounds that only keep mistakes and machines apart.
const (
	manyCalls = 100_000
	manySlots = 1_000_000
	manyUnits = 1_000_000_000
)

var timeoutFields = []entry{
	{name: "connect", fits: duration},
	{name: "attempt", fits: duration},
	{name: "total", fits: durationOr("none")},
	{name: "idle", fits: duration},
	{name: "floor", fits: duration},
	{name: "server", fits: duration},
	{name: "p999", fits: duration},
	{name: "headroom", fits: decimal(1, 100, false)},
	{name: "adaptive", fits: flag},
	{name: "ceiling", fits: duration},
	{name: "share", fits: decimal(0, 1, true)},
}

var deadlineFields = []entry{
	{name: "reserve", fits: durationOrZero},
	{name: "propagate", fixed: "write client: {deadline: false} to send none"},
	{name: "trust", fixed: "write server: {deadline: false} to trust none"},
	{name: "header", fixed: isWire},
}

var retryFields = []entry{
	{name: "maxAttempts", fits: integer(1, 10)},
	{name: "baseDelay", fits: durationOrZero},
	{name: "maxDelay", fits: duration},
	{name: "jitter", fits: oneOf("full", "equal", "decorrelated", "none")},
	{name: "statuses", fits: statusList},
	{name: "never", fits: statusList},
	{name: "errors", fits: listOf("connect", "reset", "timeout", "eof", "dns", "tls")},
	{name: "rules", entries: []entry{
		{name: "wait", fits: durationOrZero},
		{name: "status", fixed: isCondition},
		{name: "header", fixed: isCondition},
		{name: "body", fixed: isCondition},
		{name: "error", fixed: isCondition},
		{name: "do", fixed: isCondition},
		{name: "refused", fixed: isSafety},
	}},
	{name: "wait", fixed: "where hints stand is decided when code is generated"},
	{name: "maxRetryAfter", fits: duration},
	{name: "planRetryAfter", fits: flag},
	{name: "budget", off: true, fields: []entry{
		{name: "ratio", fits: decimal(0, 10, false)},
		{name: "minPerSecond", fits: decimal(0, 1e6, false)},
		{name: "window", fits: duration},
	}},
	{name: "shrink", fields: []entry{
		{name: "factor", fits: decimal(0, 1, true)},
		{name: "keepFirst", fits: integer(0, manyCalls)},
		{name: "pointer", fixed: isCondition},
	}},
	{name: "safety", fixed: isSafety},
}

var hedgeFields = []entry{
	{name: "delay", fits: durationOrQuantile},
	{name: "max", fits: integer(1, 10)},
}

var streamFields = []entry{
	{name: "first", fits: duration},
	{name: "retry", fixed: isSafety},
	{name: "resume", fixed: isContract},
	{name: "error", fixed: isContract},
}

var breakerFields = []entry{
	{name: "window", fields: []entry{{name: "count", fits: integer(1, manyCalls)}, {name: "time", fits: duration}}},
	{name: "failureThreshold", fits: integer(1, manyCalls)},
	{name: "minTime", fits: durationOrZero},
	{name: "failureRate", fits: decimal(0, 1, true)},
	{name: "minCalls", fits: integer(1, manyCalls)},
	{name: "slowCall", fits: duration},
	{name: "recovery", fits: duration},
	{name: "backoff", fits: decimal(1, 100, false)},
	{name: "maxRecovery", fits: duration},
	{name: "probes", fits: integer(1, 1000)},
	{name: "scope", fixed: isStructure},
	{name: "key", fixed: isStructure},
}

var bulkheadFields = []entry{
	{name: "maxConcurrent", fits: integer(1, manySlots)},
	{name: "queue", fits: integer(0, manySlots)},
	{name: "timeout", fits: duration},
	{name: "hold", fits: durationOr("none")},
	{name: "onFull", fits: oneOf("queue", "abort", "discard", "caller-runs")},
	{name: "adaptive", fits: flag},
	{name: "name", fixed: isStructure},
}

var fallbackFields = []entry{
	{name: "reserve", fits: duration},
	{name: "rungs", fixed: isContract},
	{name: "after", fixed: isCondition},
}

var cacheFields = []entry{
	{name: "maxAge", fits: durationOrZero},
	{name: "sharedMaxAge", fits: durationOrZero},
	{name: "cdnMaxAge", fits: durationOrZero},
	{name: "staleWhileRevalidate", fits: durationOrZero},
	{name: "staleIfError", fits: durationOrZero},
	{name: "maxBytes", fits: size},
	{name: "immutable", fixed: isPrivacy},
	{name: "vary", fixed: isPrivacy},
	{name: "scope", fixed: isPrivacy},
	{name: "sameForAll", fixed: isPrivacy},
	{name: "tags", fixed: isStructure},
	{name: "invalidates", fixed: isStructure},
	{name: "key", fixed: isStructure},
	{name: "store", fixed: isStructure},
}

// limitFields are those of one limit, of which buckets hold several.
var limitFields = []entry{
	{name: "limit", fits: integer(1, manyUnits)},
	{name: "per", fits: duration},
	{name: "burst", fits: integer(1, manyUnits)},
	{name: "cost", fits: integer(0, manyUnits)},
	{name: "refund", fits: statusList},
	{name: "wait", fits: durationOrZero},
	{name: "onStoreError", fits: oneOf("local", "allow", "deny")},
	{name: "algorithm", fixed: isStructure},
	{name: "key", fixed: isStructure},
	{name: "at", fixed: isStructure},
	{name: "plan", fixed: isStructure},
	{name: "sync", fixed: isWire},
	{name: "tier", fixed: isPreset},
	{name: "preset", fixed: isPreset},
	{name: "trustedProxies", fixed: "whom to trust is decided when code is generated, or by the option TrustedProxies"},
}

var rateLimitFields = append([]entry{{name: "buckets", entries: limitFields}}, limitFields...)

var idempotencyFields = []entry{
	{name: "ttl", fits: duration},
	{name: "lease", fits: duration},
	{name: "maxBody", fits: size},
	{name: "onStoreError", fits: oneOf("deny", "allow")},
	{name: "header", fixed: isWire},
	{name: "quoted", fixed: isWire},
	{name: "key", fixed: isWire},
	{name: "from", fixed: isWire},
	{name: "scope", fixed: isStructure},
	{name: "required", fixed: isWire},
	{name: "within", fixed: isContract},
	{name: "fingerprint", fixed: isWire},
}

var lockFields = []entry{
	{name: "expected", fits: duration},
	{name: "ttl", fits: duration},
	{name: "heartbeat", fits: duration},
	{name: "wait", fits: durationOrZero},
	{name: "keys", fixed: isStructure},
	{name: "fencing", fixed: isContract},
	{name: "backend", fixed: isStructure},
}

var concurrencyFields = []entry{
	{name: "etag", fixed: isWire},
	{name: "ifMatch", fixed: isWire},
	{name: "conflict", fixed: isWire},
	{name: "reread", fixed: isContract},
}

var shedFields = []entry{
	{name: "target", fits: duration},
	{name: "maxInflight", fits: integer(1, manySlots)},
	{name: "adaptive", fits: flag},
}
