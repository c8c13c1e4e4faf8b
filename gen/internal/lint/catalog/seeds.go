package catalog

// AntiPattern is one that the two collections of advice warn of which the rules come
// from.
type AntiPattern struct {
	// Pattern is what they warn of.
	Pattern string
	// Rules find it. Without one, Why says why a document cannot show it.
	Rules []string
	Why   string
}

// AntiPatterns lists all of them, by the subject of the advice.
func AntiPatterns() []AntiPattern { return antiPatterns }

const (
	byDesign  = "cannot be written: "
	inRuntime = "is the runtime's: "
	inCode    = "is in the user's code: "
)

var antiPatterns = []AntiPattern{
	{Pattern: "No timeout on an outbound call", Rules: []string{TimeoutOff, "timeout-total-none"}},
	{Pattern: "A timeout that is guessed instead of taken from the p99.9", Rules: []string{"timeout-not-measured"}},
	{Pattern: "A 2s downstream timeout under an 800ms deadline of the caller", Rules: []string{"timeout-above-caller", "deadline-not-propagated"}},
	{Pattern: "Retry of a POST without an idempotency key", Rules: []string{RetrySafetyAlways, "retry-cannot-act", "idempotency-missing"}},
	{Pattern: "Backoff without jitter", Rules: []string{"retry-jitter-none"}},
	{Pattern: "A fixed delay, or none, between retries", Rules: []string{"retry-no-delay", "retry-jitter-none"}},
	{Pattern: "Retries without an end", Rules: []string{"retry-attempts"}, Why: byDesign + "maxAttempts ends at 10"},
	{Pattern: "Retry of every error, of 401, 403 and 404", Rules: []string{"retry-client-error", "retry-conflict"}},
	{Pattern: "Retry outside of the circuit breaker", Why: byDesign + "retry stands inside, one outcome a call"},
	{Pattern: "Retry-After ignored", Rules: []string{"retry-after-ignored"}},
	{Pattern: "Retries without a budget", Rules: []string{"retry-budget-off", "hedge-without-budget"}},
	{Pattern: "Retries that nobody logs", Why: inRuntime + "each try is an event of its telemetry"},
	{Pattern: "No circuit breaker on a dependency, on a flaky one above all", Rules: []string{"breaker-off", "flaky-unprotected"}},
	{Pattern: "One global breaker", Rules: []string{"breaker-scope-wide"}},
	{Pattern: "Fixed counters instead of a sliding window in a breaker", Why: byDesign + "windows slide"},
	{Pattern: "A cooldown that nobody has tuned", Rules: []string{"breaker-recovery-short", "breaker-slow-above-attempt"}},
	{Pattern: "Health that depends on the state of circuits or load", Rules: []string{"health-shed"}},
	{Pattern: "One bad dependency drains the shared pool", Rules: []string{"bulkhead-off"}},
	{Pattern: "A bulkhead for each endpoint", Rules: []string{"bulkhead-per-operation", "breaker-scope-fine"}},
	{Pattern: "A bulkhead beyond what the dependency allows", Rules: []string{"bulkhead-above-limit", "bulkhead-queue-long"}},
	{Pattern: "A rejection that becomes a 500", Rules: []string{"bulkhead-caller-runs-server"}, Why: inRuntime + "a full server answers 503 with Retry-After"},
	{Pattern: "Two tables of tier sizes that drift apart", Why: byDesign + "the numbers of presets stand in one place"},
	{Pattern: "A fallback improvised in the incident, or none", Rules: []string{"fallback-missing", "flaky-unprotected"}},
	{Pattern: "A chain of models that ends in a bare error", Rules: []string{"fallback-missing"}, Why: "the preset llm ends in a static answer"},
	{Pattern: "Model names or prices in resilience settings", Why: byDesign + "the language has neither"},
	{Pattern: "A key that is new each time", Rules: []string{"idempotency-per-call", "idempotency-key-volatile"}},
	{Pattern: "Timestamps in keys", Rules: []string{"idempotency-key-volatile", "idempotency-whole-request"}},
	{Pattern: "A payment without idempotency", Rules: []string{"idempotency-missing"}},
	{Pattern: "Keys that are not scoped to the endpoint", Rules: []string{"idempotency-scope-none"}, Why: byDesign + "the operation is part of every record"},
	{Pattern: "Stored results that end too early or never", Rules: []string{"idempotency-ttl-short", "idempotency-ttl-window"}},
	{Pattern: "Error responses stored under a key", Why: byDesign + "only 2xx is stored"},
	{Pattern: "No lock while a request with a key is at work", Rules: []string{IdempotencyLease}},
	{Pattern: "The key outside of the transaction of the effect", Rules: []string{"idempotency-not-atomic"}},
	{Pattern: "A lock without a TTL", Rules: []string{"lock-ttl-short"}, Why: byDesign + "each lock has one"},
	{Pattern: "A lock released without a look at its owner", Rules: []string{"lock-no-fencing"}, Why: inRuntime + "release compares the owner"},
	{Pattern: "Long work under a lock without a heartbeat", Rules: []string{"lock-ttl-short"}},
	{Pattern: "Several locks in any order", Why: inRuntime + "keys are taken in sorted order"},
	{Pattern: "Waiting for a lock without backoff or end", Rules: []string{"lock-wait-long"}},
	{Pattern: "Counters in memory for several instances", Rules: []string{"ratelimit-memory-replicas", "cache-memory-replicas"}},
	{Pattern: "Fixed windows with twice the limit at their edges", Why: byDesign + "there is no fixed window"},
	{Pattern: "Check, then act, on a bucket", Why: inRuntime + "a decision is one atomic step"},
	{Pattern: "A token bucket for a billed quota", Why: "what is billed is not in a document: use sliding-window there"},
	{Pattern: "A cache without an end or invalidation", Rules: []string{"cache-forever", "cache-unbounded"}},
	{Pattern: "A cached answer of somebody else", Rules: []string{"cache-public-security"}, Why: "a public one without vary or sameForAll is an error"},
	{Pattern: "APIs of Node at the edge", Why: inCode + "generated code for the edge uses none"},
	{Pattern: "A bundle above 1 MB", Rules: []string{"edge-bundle-large"}},
	{Pattern: "Two writes without an outbox", Rules: []string{"webhook-without-outbox"}},
	{Pattern: "A consumer that takes the same event twice", Rules: []string{"consumer-no-dedupe", "consumer-dedupe-short"}},
	{Pattern: "No dead letters", Rules: []string{"poison-skipped"}},
	{Pattern: "A step of a saga that nothing undoes", Rules: []string{"saga-no-compensate", "saga-no-timeout"}},
	{Pattern: "State changed in place where its history matters", Why: inCode + "whether history matters is not in a document"},
	{Pattern: "Events named like commands", Rules: []string{"event-name-tense"}},
	{Pattern: "Appends without a version check", Rules: []string{"aggregate-no-version"}},
	{Pattern: "Long streams without snapshots", Rules: []string{"aggregate-no-snapshots"}},
	{Pattern: "Deleted events", Why: byDesign + "the event store has no way to delete one"},
	{Pattern: "Patterns for several instances where there is one", Rules: []string{"overkill-single-instance"}},
}
