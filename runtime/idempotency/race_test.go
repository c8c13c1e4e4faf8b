//go:build race

package idempotency_test

// raceDetector tells the tests that count allocations: the race detector makes
// some of its own.
const raceDetector = true
