package catalog

var limits = []Rule{
	{
		ID: "ratelimit-spoofable-key", Severity: Major, Fixes: true,
		Finds:  "A server's limit is keyed by a header or query parameter that the client writes as it likes.",
		Why:    "Whoever wants more sends another value with each request, and whoever wants to harm sends somebody else's.",
		Source: "OWASP API Security Top 10 2023, API4 Unrestricted Resource Consumption",
		Mend:   "Key it by $principal, a claim, or $ip with trustedProxies.",
	},
	{
		ID: "ratelimit-tier-by-header", Severity: Major,
		Finds:  "A server takes the plan of a rate limit from a header or query parameter of the client.",
		Why:    "Every client can call itself premium.",
		Source: "OWASP API Security Top 10 2023, API4 Unrestricted Resource Consumption",
		Mend:   "Take the plan from a claim, or from a function of the server.",
	},
	{
		ID: "ratelimit-memory-replicas", Severity: Minor, Fixes: true,
		Finds:  "The document declares several replicas, and a server's limit does not say what holds when the shared store cannot be asked.",
		Why:    "Counters in memory count for one instance each: the limit is that many times higher, and lost with each restart.",
		Source: "skill distributed-systems, anti-pattern: in-memory counters in distributed systems",
		Mend:   "Give the server a shared store and write onStoreError: local, allow or deny.",
	},
}
