// Package runtime is the root of the runtime that generated code calls; it holds
// nothing itself but the sources of the packages below it, for the tool.
//
// What generated code and its callers see:
//
//   - client, server: all that generated clients and servers call
//   - policy: the settings of every operation, as immutable data
//   - fault: the errors of a call, and problem+json
//   - value: field types that OpenAPI needs and Go lacks (optional, nullable, date, …)
//   - security: credentials of the caller and their checks
//
// The mechanisms, one package each; none imports another, and each is useful
// alone:
//
//   - deadline: budgets of time and their headers
//   - retry: which failures are tried again, when, and within which budget
//   - breaker: failing fast while a dependency is down
//   - bulkhead: bounded concurrency with a bounded queue
//   - ratelimit: rates by key
//   - hedge: asking a second time when an answer is late
//   - fallback: other ways to answer a call that has failed
//   - cache: answers kept and given again, by RFC 9111; cachetest is the conformance
//     suite for its stores
//   - semantic: answers to questions that were asked before in other words
//   - idempotency: keys, and one effect for a request that comes twice
//   - lock: one piece of work at a time for each key; locktest is the conformance
//     suite for its backends
//   - shed: refusing what a server cannot do in time, the least critical first
//
// What holds them together:
//
//   - pipeline: the one place that fixes the order in which they act
//   - store: interfaces to shared state, and the default in memory; storetest is
//     the conformance suite for every other
//   - store/redis: what several instances share, in Redis: idempotency keys, rate limits,
//     locks, a client's answers
//   - observe: events for logs, metrics and traces
//   - latency: how long calls took, in little memory, for delays and timeouts that follow
//   - policyfile: numbers and modes that change without generating; policyfile/yaml
//     reads YAML
//
// And what carries bytes:
//
//   - codec: JSON, parameters, multipart bodies, streams
//   - check: constraints of schemas
//
// The core imports the standard library only. Packages with dependencies are
// leaves, which a program imports by name.
package runtime
