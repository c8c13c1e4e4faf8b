// Package policy holds the resilience settings of operations as immutable,
// plain data: one [Spec] an operation, written as a Go literal in generated
// code and read by the client, the server and the generator alike.
//
// Everything arrives resolved. Presets, defaults, levels and profiles of the
// x-resilience language are merged before a Spec is written, so a reader of a
// literal sees exactly what will happen. Nothing in this package keeps state:
// breakers, budgets, bulkheads and buckets are made from these settings by the
// packages that own them, and two goroutines may read one Spec freely as long
// as nobody writes to it.
//
// A nil pointer means that a primitive is off. A zero inside a setting means
// zero, never a hidden default; where zero would make no sense the field's
// comment says what it stands for.
package policy
