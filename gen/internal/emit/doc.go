// Package emit writes the Go code of one document. It alone knows jennifer.
//
// Every package that it writes is small, because the runtime carries the weight:
// what stands here as a comment above an emitter is the Go that it writes. Nothing
// of a document reaches the code other than through the helpers for identifiers
// (package names), literals and comments of this package.
//
// The model half (model_*.go, with types, JSON and constraints) and the operation
// half (op_*.go: requests, responses, client, server, policies) share one emitter,
// whose helpers for types, decoding and encoding both use: see expr_*.go.
package emit
