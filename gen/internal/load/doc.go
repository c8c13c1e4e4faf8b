// Package load reads OpenAPI documents into one tree of positioned nodes, applies
// overlays to it and resolves the references between its parts.
//
// YAML and JSON give the same tree. It keeps what a generator needs and most
// document models lose: the order of members, the exact text of numbers, the
// text of YAML scalars as written, and the line and column of every node, in
// whichever file it stands. What an operation or a schema is, is not known here, but
// for the places where overlays lay annotations over others.
//
// An overlay changes the tree before anything else is read of it. What it brings
// keeps its place in the overlay's file; see [Node.Home] and [Document.Layers].
//
// Documents are untrusted input: size, nesting, the number of nodes (counted as
// if every YAML alias were a copy) and the number of files are bounded, and no
// network access happens unless the caller asks for it.
package load
