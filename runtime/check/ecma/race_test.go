//go:build race

package ecma_test

// race tells that the race detector is on.
const race = true
