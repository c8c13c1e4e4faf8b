//go:build !race

package ecma_test

const race = false
