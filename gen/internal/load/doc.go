// Package load reads OpenAPI documents into one tree of positioned nodes and
// resolves the references between them.
//
// YAML and JSON give the same tree. It keeps what a generator needs and most
// document models lose: the order of members, the exact text of numbers, the
// text of YAML scalars as written, and the line and column of every node, in
// whichever file it stands. Nothing here knows what an operation or a schema is.
//
// Documents are untrusted input: size, nesting, the number of nodes (counted as
// if every YAML alias were a copy) and the number of files are bounded, and no
// network access happens unless the caller asks for it.
package load
