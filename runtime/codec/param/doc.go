// Package param writes and reads parameters: the values in paths, queries,
// headers and cookies, and the fields of urlencoded forms, in every style of
// OpenAPI.
//
// A [Codec] turns a Go type into a [Value] and a [Raw] into the type. Appenders
// such as [AppendQuery] lay a Value out by its [Style]; readers such as
// [Query.Raw] find the Raw of a parameter by name and style. Delimiters are
// looked for in the text as it came, before percent-decoding, so that an
// escaped comma in an item stays part of it.
//
// Errors are [*check.Error] with the rule and what is wrong, without the value;
// whoever knows the parameter's place and name adds them with [At] or
// [Violations].
//
// Codecs and styles are plain data and safe for concurrent use.
package param
