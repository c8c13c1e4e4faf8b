// Package value holds the field types of generated models: presence and null
// (Opt, Null, OptNull), numbers and JSON kept as written (Number, Raw), and the
// string formats that time.Time cannot carry (Date, Time, Duration, UUID).
//
// Every type is a plain value: the zero value is usable, copying copies, and
// concurrent reads are safe. All of them work with encoding/json and, where
// they are written as one string, with encoding.TextMarshaler.
package value
