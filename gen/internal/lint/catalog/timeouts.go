package catalog

var timeouts = []Rule{
	{
		ID: TimeoutOff, Severity: Critical, Refused: true, Fixes: true,
		Finds:  "A side has its timeout turned off.",
		Why:    "One slow dependency then holds every connection and goroutine that calls it, and the outage spreads to all who wait.",
		Source: "skill resilience-patterns, severity critical: no timeout on a synchronous external call; Google SRE book, Addressing Cascading Failures",
		Mend:   "Write timeout: true for the defaults, or a duration from the measured p99.9.",
	},
	{
		ID: "timeout-total-none", Severity: Major, Fixes: true,
		Finds:  "A call that is no stream has timeout.total none.",
		Why:    "Tries, waits for hints and queues add up without an end; the caller cannot know when an answer or an error comes.",
		Source: "AWS Builders' Library, Timeouts, retries and backoff with jitter",
		Mend:   "Leave total out, it is then computed from the tries and waits, or write a duration.",
	},
	{
		ID: "timeout-above-caller", Severity: Major, Fixes: true,
		Finds:  "The handler may work longer than the caller waits, and no deadline tells it so.",
		Why:    "After the caller has given up, the callee keeps working for nobody, most of all when it is overloaded already.",
		Source: "skill resilience-patterns, anti-pattern: 2s downstream timeout under an 800ms caller deadline; Google SRE book, Deadline propagation",
		Mend:   "Propagate and trust the deadline, or lower timeout.server below the client's total.",
	},
	{
		ID: "deadline-not-propagated", Severity: Minor, Fixes: true,
		Finds:  "The client does not send its deadline to a service of ours, or the server does not trust one.",
		Why:    "Each hop then starts its full timeout anew, and works on what nobody waits for any more.",
		Source: "skill resilience-patterns, step 5d: propagate deadlines across hops; Google SRE book, Deadline propagation",
		Mend:   "Write deadline: {propagate: true, trust: true}, or external: true where the service is not ours.",
	},
	{
		ID: TimeoutAttemptAboveTotal, Severity: Major, Fixes: true,
		Finds:  "timeout.attempt is longer than timeout.total.",
		Why:    "No try can use its own time: it is cut when the call ends, there is no second one, and the timeout that was measured never applies.",
		Source: "x-resilience, Timeout: a try gets min(attempt, what is left of total)",
		Mend:   "Lower attempt below total, or leave total out.",
	},
	{
		ID: "timeout-total-short", Severity: Minor, Fixes: true,
		Finds:  "timeout.total cannot hold all the tries with their waits.",
		Why:    "The last tries are cut short or never made, so the policy promises more attempts than there are.",
		Source: "AWS Builders' Library, Timeouts, retries and backoff with jitter; x-resilience, the formula of the computed total",
		Mend:   "Leave total out, raise it, or ask for fewer or shorter tries.",
	},
	{
		ID: "timeout-not-measured", Severity: Minor,
		Finds:  "timeout.attempt is written without the p99.9 that it comes from.",
		Why:    "A guessed timeout either cuts healthy calls or holds resources far too long; nobody can tell later which it does.",
		Source: "skill resilience-patterns, step 1: set timeouts from p99.9 latency; AWS Builders' Library, Timeouts",
		Mend:   "Measure, and write timeout: {p999: …}: attempt is then p999 times headroom.",
	},
}
