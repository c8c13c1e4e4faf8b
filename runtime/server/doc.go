// Package server is all that generated servers call: routing, resilience,
// authentication, decoding and encoding, in one fixed order.
//
//	recover -> request id -> deadline and timeout -> limits by address ->
//	load shedding -> bulkhead -> authentication -> limits by principal ->
//	decode and validate -> version of a conditional request -> idempotency claim ->
//	lock -> the service's method -> encode with the fields for caches
//
// Generated code describes its operations and hands over the methods of a
// service; see [Operation], [Handle] and [New].
//
// # Answers that the package gives itself
//
// All of them are application/problem+json (RFC 9457), unless [ErrorHandler] says
// otherwise: 400 with every violation of the parameters and the body at once, 401
// with the credentials that were missing, 403, 404, 405 with Allow, 406, 408, 409, 413,
// 414, 415, 422, 429, 431, 500 without anything internal, 501, 503 and 504.
//
// # Time
//
// A method gets a context that ends at the earliest of the caller's deadline (five
// headers are understood), the server timeout and the bulkhead's hold, and when
// the caller has gone. One that ignores its context cannot hold the answer, which
// comes at the bound: 503 with Retry-After, or 504 where the caller's own deadline has
// passed. On an HTTP/1 connection a timer gives it, and then closes the connection,
// where the handler has net/http's own ResponseWriter; ServeHTTP returns when the method
// does. With HTTP/2, a ResponseWriter around another, an [ErrorHandler] or a body that the
// method reads, the method has a goroutine of its own, and ServeHTTP returns at the bound.
// A body that the method reads as a stream holds these bounds back: they count
// from its last byte on, or from the last read of one that does not end.
// The method's slot, idempotency key and memory stay its own until it has
// returned. A result that is a stream is bound until its header only.
//
// # Bodies
//
// A body that is read into memory may have [DefaultBodyLimit] bytes. One that is
// handed to the method as a stream has no limit unless [BodyLimit] or [StreamLimit]
// sets one: it takes no memory, but a method that keeps what it reads has to
// count.
package server
