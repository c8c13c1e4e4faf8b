// Package worstcase computes what a client's policy amounts to when its
// dependency fails: how long a call takes at most, which tries it makes and when,
// how many requests reach the dependency, and how many calls it takes until the
// breaker opens.
//
// It is pure: settings in, numbers out, no clock and no random number. The
// arithmetic is that of the runtime, step by step in the order of
// runtime/pipeline, and where the runtime has a pure function for a step (the
// backoff, the verdict on a result, what a try is granted) that function is
// called. Tests play the same policies through runtime/pipeline and compare.
//
// What is computed is the call itself. What a caller adds from outside is left
// out: a deadline in its context only makes the call shorter, and options of one
// call (client.Within, client.PerTry, client.Tries) take the place of the
// settings that they name.
package worstcase
