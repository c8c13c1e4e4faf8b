// Package fault holds the two forms in which a call goes wrong: [Error], which
// a caller gets from a client, and [Problem], the problem+json of RFC 9457 that
// goes over the wire.
//
// An Error says what matters for the next step: which operation, what kind of
// failure, how many tries were made, whether the request may have taken
// effect, with which idempotency key, and when a repeat makes sense.
//
//	var f *fault.Error
//	if errors.As(err, &f) && f.Effect == fault.Unknown {
//		reconcile(f.Key, f.RetryAt)
//	}
//
// No text made here holds a credential or the query of a URL.
package fault
