package catalog

var annotations = []Rule{
	{
		ID: "policy-unused", Severity: Minor,
		Finds:  "A policy of the root is used by nothing.",
		Why:    "Who reads it believes that it holds somewhere.",
		Source: "x-resilience, section 3",
		Mend:   "Use it, or take it out.",
	},
	{
		ID: "preset-unused", Severity: Minor,
		Finds:  "A preset of the root is used by nothing.",
		Why:    "Who reads it believes that it holds somewhere.",
		Source: "x-resilience, section 3",
		Mend:   "Use it, or take it out.",
	},
	{
		ID: "waiver-unused", Severity: Minor,
		Finds:  "A waiver accepts a finding that is not there.",
		Why:    "It will silence the finding on the day when it comes back, with a reason of the past.",
		Source: "x-resilience, section 4",
		Mend:   "Take it out.",
	},
	{
		ID: "overlay-broad", Severity: Major,
		Finds:  "An overlay, or one level that is no operation, turns idempotency or safety: always on for five or more writes of a document that is not ours.",
		Why:    "Each provider's operation treats repeats in its own way; one that ignores the key is then retried and takes effect twice.",
		Source: "x-resilience, section 2: overlays annotate documents that are not ours; skill resilience-patterns, step 2",
		Mend:   "Turn it on operation by operation, each after a look into the provider's documentation.",
	},
	{
		ID: "overkill-single-instance", Severity: Info,
		Finds:  "A pattern for several instances is used with one: locks, sagas, event sourcing, an outbox or a shared store.",
		Why:    "With a single process a mutex, a row lock or a plain transaction does the same with less that can fail.",
		Source: "skill distributed-systems, When NOT to Use: a single server process needs no distributed patterns",
		Mend:   "Write replicas: N if there are several; else use the simpler way.",
	},
}
