// Package cache keeps answers and gives them again, by RFC 9111 (HTTP caching), RFC
// 5861 (serving stale), RFC 8246 (immutable), RFC 9211 (Cache-Status) and, where
// [Options].Targets names such fields, RFC 9213 (targeted Cache-Control).
//
// A [Cache] holds the state; a [Transport] is it as an http.RoundTripper. It is a
// private cache unless it is told otherwise: entries belong to the credential of the
// request, and directives for shared caches do not count.
//
// What it does and what it leaves:
//
//   - GET is stored, and POST and QUERY where [Rules] say that they read. HEAD is
//     answered from a stored GET and freshens it. All else passes; what is not known
//     to be safe invalidates.
//   - A response is stored when its body has been read to its end, never a part of it.
//   - A single byte range is answered from a complete entry; other ranges pass, and no
//     206 is stored.
//   - Requests for the same answer at the same time wait for the first of them.
//   - Invalid or contradicting freshness makes a response stale, not fresh.
//   - Set-Cookie is stored like any other field, as RFC 9111 section 7.3 leaves it; a
//     response that sets one for everybody is the origin's mistake, which a private
//     cache does not spread.
//
// Nothing here reads a body that the caller does not read, except in a refresh behind
// the caller's back, which is bounded in number, time and size, and ends with
// [Cache.Close].
package cache
