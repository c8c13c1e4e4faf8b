// Package client is what generated clients call. It puts a request together,
// sends it under the operation's policy through package pipeline, and reads the
// response into the types of the document.
//
// A generated client makes a [Core] from the document's [API] and the caller's
// options, and gives each call to [Do] or [Exec] together with its [Operation].
// Everything in a Core is set when it is made; calls may come from any number
// of goroutines.
//
// # Errors
//
// Every call that fails returns a [*fault.Error]. In its chain are the
// document's own error types, or a [*StatusError] for a response that the
// document does not declare, a [*DecodeError] for one that cannot be read, or a
// [*check.Error] for a request that cannot be sent. No text of an error holds a
// credential, a body or the query of an address.
//
// # Bodies
//
// A body that can be read again (bytes, text, JSON, forms, regular files,
// whatever can seek) is sent anew with each try. A plain io.Reader is sent once,
// so such a call makes one try.
//
// Responses are read into memory up to a limit, 16 MiB unless [BodyLimit] says
// otherwise. [Body] and [Stream] are handed over open and have to be closed;
// timeouts of a try or of a call without a written total end with the header
// then, and the idle timeout of the policy watches over the rest.
//
// Where the policy of an operation has something to say of streams, a call waits for the
// first item and is tried again before it, an item that is an error ends the stream with a
// [*StreamError], and a stream that breaks may go on by another request.
//
// # Policies
//
// The policy of an operation is what the document gives it, under the profile of
// [Profile] or HOLDFAST_PROFILE, changed by the file of [WithPolicyFile], without the
// primitives that HOLDFAST_OFF names; [Core.Policy] gives what is in force. Options of one
// call come last: [Within], [PerTry], [Tries], [NoRetry], [IdempotencyKey], [NoFallback],
// [NoCache], [Refresh].
//
// From the outside in a call goes through the cache, the total timeout, the fallback, and
// then the pipeline, whose package says the rest. The tries of a call are one exchange
// with the cache: what the last of them brings is stored when its body has been read.
// Answers belong to the credential that the call sends. A stale answer may be fetched anew
// behind the caller's back, under the operation's own policy; [Core.Close] ends that.
//
// A rung of a fallback is one try of a copy of the request, without the breakers, limits
// and retries of the call. [Meta] names the rung that answered. Where none does, the error
// is that of the call itself.
package client
