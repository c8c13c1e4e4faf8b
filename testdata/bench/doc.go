// Package bench measures holdfast beside oapi-codegen and ogen: the same document,
// the same process, one after the other in each run. README.md says how to run it,
// what was measured and which figures it is held to.
package bench

//go:generate go run ./cmd/peers
