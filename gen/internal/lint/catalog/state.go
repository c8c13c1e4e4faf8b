package catalog

var fallbacks = []Rule{
	{
		ID: FallbackWhenUnknown, Severity: Critical, Refused: true,
		Finds:  "A fallback of a write repeats it elsewhere although its effect is unknown: whenUnknown true.",
		Why:    "The first try may have taken effect; the rung then does it a second time, at another server where no key is known.",
		Source: "x-resilience, Fallback; AWS Builders' Library, Avoiding fallback in distributed systems",
		Mend:   "Leave whenUnknown out: the rung is then used only where nothing was done.",
	},
	{
		ID: "fallback-on-write", Severity: Major,
		Finds:  "A write has a rung that answers without doing anything: static, empty, cache or semanticCache.",
		Why:    "The caller is told of a success that never was; the order or the payment is lost.",
		Source: "AWS Builders' Library, Avoiding fallback in distributed systems",
		Mend:   "Use {queue: NAME}, which does it later, or let the call fail.",
	},
	{
		ID: "fallback-reserve-large", Severity: Major, Fixes: true,
		Finds:  "The time that the fallback's remote rungs reserve leaves the call itself less than one attempt.",
		Why:    "The call is cut while it would succeed, and the fallback answers although nothing is wrong.",
		Source: "x-resilience, Fallback: the primary gets total less the reserves",
		Mend:   "Raise total, or reserve less.",
	},
	{
		ID: "fallback-missing", Severity: Minor,
		Finds:  "A read of criticality critical has no fallback.",
		Why:    "What happens when the dependency is down is then decided during the incident.",
		Source: "skill resilience-patterns, step 5c and anti-pattern: improvising the fallback during the incident",
		Mend:   "Declare the rungs: another server, the cache, a static answer.",
	},
	{
		ID: "hedge-without-budget", Severity: Major,
		Finds:  "Calls are hedged and the retry budget is off.",
		Why:    "When the service is slow for all, every call is sent twice, and it gets slower.",
		Source: "Dean and Barroso, The Tail at Scale, 2013: hedged requests must be capped",
		Mend:   "Leave the budget on; hedges pay from it.",
	},
	{
		ID: "hedge-on-command", Severity: Major,
		Finds:  "A call is hedged that looks like a command although it counts as a read.",
		Why:    "A hedge sends the request twice by design, so its effect comes twice.",
		Source: "Dean and Barroso, The Tail at Scale, 2013; RFC 9110, section 9.2.1",
		Mend:   "Take the hedge away and write effect: write.",
	},
}

var caches = []Rule{
	{
		ID: "cache-public-security", Severity: Minor,
		Finds:  "The answer of an operation with security is cached publicly because it is said to be the same for all.",
		Why:    "If it ever differs, one user is shown what belongs to another, from every CDN at once.",
		Source: "RFC 9111, section 3.5; skill distributed-systems: never cache authenticated responses without Vary or private",
		Mend:   "Use scope: private, or make the operation public; waive it where the answer holds nothing of the caller's.",
	},
	{
		ID: "cache-unbounded", Severity: Major, Fixes: true,
		Finds:  "A cache in memory has no maxBytes, or more than 1 GiB.",
		Why:    "It grows until the process is ended, which takes all other calls with it.",
		Source: "x-resilience design, runtime: bounded bytes; Google SRE book, Addressing Cascading Failures: resource exhaustion",
		Mend:   "Write maxBytes: 64MiB, or what the process can spare.",
	},
	{
		ID: "cache-forever", Severity: Minor, Fixes: true,
		Finds:  "Answers are fresh for more than a day, are not immutable, and nothing invalidates them: no tags, and no operation that does.",
		Why:    "A wrong answer stays until it ends by itself, in caches that nobody can reach.",
		Source: "skill distributed-systems, edge caching: caching without TTL or invalidation",
		Mend:   "Shorten maxAge and add staleWhileRevalidate, or give it tags or invalidates.",
	},
	{
		ID: "cache-memory-replicas", Severity: Info,
		Finds:  "Several replicas keep caches in memory.",
		Why:    "Each sees another age of the same thing, and an invalidation reaches one of them.",
		Source: "skill distributed-systems, rate limit storage: shared state does not live in one process",
		Mend:   "Use store: redis where that matters.",
	},
}

var locks = []Rule{
	{
		ID: "lock-ttl-short", Severity: Major, Fixes: true,
		Finds:  "A lock without a heartbeat ends before the handler must.",
		Why:    "A second holder begins while the first still works on the same thing.",
		Source: "skill distributed-systems: TTL 2-3x the expected duration, heartbeat for longer ones; Kleppmann, How to do distributed locking",
		Mend:   "Add a heartbeat, raise ttl above timeout.server, or lower that.",
	},
	{
		ID: "lock-wait-long", Severity: Major, Fixes: true,
		Finds:  "A request may wait for a lock as long as its handler may run, or longer.",
		Why:    "Waiting requests hold their slots until they are cut; one stuck holder stops the server.",
		Source: "skill distributed-systems, locks: retry bounded with backoff",
		Mend:   "Bound wait to a few seconds: busy answers 409 with Retry-After.",
	},
	{
		ID: "lock-no-fencing", Severity: Major, Fixes: true,
		Finds:  "A lock has its fencing turned off.",
		Why:    "A holder that was paused past its ttl writes over the work of the next one, and nothing can tell.",
		Source: "skill distributed-systems, anti-pattern: release without owner check; Kleppmann, How to do distributed locking",
		Mend:   "Write fencing: true and check the token in the write.",
	},
	{
		ID: "lock-key-collides", Severity: Major,
		Finds:  "A lock's key is a bare value without the name of what it locks, or two operations lock different things by one key.",
		Why:    "Account 7 and order 7 wait for each other, and worse, think they hold the same lock.",
		Source: "Redis documentation, keys: use a schema such as object-type:id; skill distributed-systems, lock names",
		Mend:   "Name the thing in the key: account/{$request.path.id}.",
	},
}

var shapes = []Rule{
	{
		ID: "stream-total", Severity: Major, Fixes: true,
		Finds:  "A streamed answer has a finite timeout.total.",
		Why:    "A written total covers the body too: the stream is cut while all is well.",
		Source: "x-resilience, Timeout: a written total covers the body",
		Mend:   "Write total: none; idle bounds the silence and attempt the wait for the header.",
	},
	{
		ID: "stream-no-idle", Severity: Major, Fixes: true,
		Finds:  "A streamed answer may be silent for more than 5 minutes.",
		Why:    "A broken connection without a reset looks like a quiet one; readers hang until somebody restarts them.",
		Source: "WHATWG HTML, server-sent events: a comment line every 15 seconds or so; RFC 1122, section 4.2.3.6",
		Mend:   "Let the server send a comment every 15s and write idle: 30s.",
	},
	{
		ID: "get-command", Severity: Major, Fixes: true,
		Finds:  "A GET looks like a command: its name or path begins or ends with a verb such as delete, send or cancel.",
		Why:    "Reads are retried, hedged and cached, by us and by everything between; each repeat carries the command out again.",
		Source: "RFC 9110, section 9.2.1: safe methods",
		Mend:   "Write effect: write where it has one, effect: read where the name misleads.",
	},
}
