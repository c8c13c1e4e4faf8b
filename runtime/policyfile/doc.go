// Package policyfile changes the numbers and modes of a program's policies without
// generating its code again: a file in the words of x-resilience is laid over the
// policies of all operations, and is read again when it changes.
//
//	{
//	  "version": 1,
//	  "all": {"retry": {"maxAttempts": 3}},
//	  "operations": {
//	    "createPayment": {"timeout": "4s", "server": {"bulkhead": {"maxConcurrent": 50}}},
//	    "search": {"breaker": {"mode": "shadow"}, "hedge": false}
//	  },
//	  "profiles": {"prod": {"all": {"client": {"bulkhead": {"queue": 20}}}}}
//	}
//
// # What stands in a file
//
// version is 1 and has to be there. all and operations are laid over what the document
// gives, all first; then those of the profile that the process runs under. A file is the
// strongest level of all: it has no defaults, which in the language are weaker than what
// an operation writes. Policies have the form that they have in a document: bare fields
// go to the side or sides of their line in the language, then client and server are laid
// over them. One file can be read by both sides of the wire. Webhooks and callbacks have
// senders and receivers of their own, and so files of their own: a file names the
// operations of one client or server.
//
// Numbers, durations, sizes, statuses and modes can change, on and off among them, and
// words that choose between behaviours of one primitive, such as jitter and onFull.
// Structure cannot: scopes, keys, expressions, headers, the conditions of rules, the
// rungs of a fallback, presets. Those are refused with the reason. What an operation
// does not have cannot be turned on; under all it is passed over.
//
// Two values follow others where a document leaves them to their defaults: a limit
// without a burst makes the burst the limit, and a breaker's slowCall that an attempt
// could not reach stays out of reach of a longer one. A handler's bound is
// timeout.server alone: an attempt does not move it.
//
// # When it is read
//
// The calls of a program look at the file, one of them in each [Interval]; there is no
// goroutine. The call that finds a change reads it before it goes on, which takes some
// milliseconds in an API of a thousand operations; all others go on meanwhile. A file is checked as a whole, by the rules that hold when code is generated
// and against all operations, before any of it counts. One that is wrong changes nothing:
// the last good one stays in force. Write files beside their place and rename them, so
// that nobody reads half of one.
//
// A call keeps the policy that it began with. What calls share goes by the new numbers
// at once and keeps what it knows: an open breaker stays open as long as it was going to,
// and its window counts on unless its size changes; slots that are in use stay so, and
// waiters keep their places; used tokens stay used; the retries of a budget's window
// count on unless its length changes.
//
// # Switching off
//
// [OffVariable] names primitives that are off in a process whatever else is written:
// timeout, deadline, idempotency, cache, concurrency, retry, hedge, breaker, bulkhead,
// fallback, stream, rateLimit, lock, shed.
package policyfile
