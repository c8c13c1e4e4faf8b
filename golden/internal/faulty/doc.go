// Package faulty puts a network that fails on command between the generated
// clients and servers of the golden packages.
//
// A [Service] runs a handler over TCP, or over pipes for tests whose clock is
// that of testing/synctest. A [Plan] says what happens to each request: it is
// answered by somebody in between, its connection is reset, its answer is lost.
// What arrived is recorded.
package faulty
