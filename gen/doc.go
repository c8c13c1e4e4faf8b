// Package gen turns an OpenAPI document with x-resilience annotations into a Go
// package: a client, a server, or both.
//
// [Run] is the whole of it: a [Config] in, an [Output] out. The command holdfast
// is a thin layer over this package; other tools may call it the same way.
package gen
