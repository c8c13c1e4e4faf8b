// Package hostile helps tests to hold code against documents that were written to
// harm it: it alters documents, and it bounds what may be spent on one. Only tests
// use it.
package hostile
