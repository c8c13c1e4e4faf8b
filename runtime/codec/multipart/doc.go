// Package multipart writes and reads bodies of several parts, multipart/form-data
// above all, without holding a file in memory or on disk.
//
// A [Body] is put together part by part and is then one [content.Source]: its
// size is known when every part's is, and it can be sent again when every part
// can. A [Reader] hands out the parts of a body as they arrive.
package multipart
