// Package json is the JSON codec of generated models: no reflection, one pass,
// and every violation of a schema found in that pass.
//
// A generated type reads and writes itself:
//
//	func (v *Order) DecodeJSON(d *json.Decoder) {
//		for d.Members(&orderMembers); d.NextKey(); { // notes those that are missing
//			switch d.Key() {
//			case "id":
//				v.ID = d.String()
//			case "note":
//				json.DecodeOpt(d, &v.Note, json.String)
//			case "lines":
//				orderLines.Decode(d, &v.Lines) // var orderLines = json.Slice(json.Of[Line]())
//			default:
//				d.Unknown()
//			}
//		}
//	}
//
//	func (v *Order) EncodeJSON(e *json.Encoder) {
//		e.BeginObject()
//		e.Key("id").String(v.ID)
//		json.OptField(e, "note", &v.Note, json.String)
//		orderLines.Encode(e.Key("lines"), &v.Lines)
//		e.EndObject()
//	}
//
// # Errors
//
// A text that is not JSON ends decoding with a *SyntaxError. A value that does
// not fit is a violation: it is skipped, decoding goes on, and the end is an
// *InvalidError with all of them, up to check.MaxViolations. The generated code
// looks at neither: both stick to the Decoder.
//
// # What is read
//
// RFC 8259, strictly: UTF-8 only, no byte order mark, nothing after the value,
// nesting up to Mode.MaxDepth. A lone surrogate (\ud800) is read as U+FFFD, as
// encoding/json does. Member names are compared byte for byte. A member that
// stands twice is a violation where Mode.Strict, otherwise the last one wins.
// An integer may be written 1.0 or 1e3, since JSON Schema calls these integers;
// 1.5 and "1" are violations. null fits only where the schema says so.
//
// Decoded strings share one copy of the input's text: keeping one keeps it all.
//
// # What is written
//
// Compact JSON; the members of maps are sorted. Floats have the shortest text
// that reads back exactly, in the form of ECMAScript; NaN and infinities are an
// error. Invalid UTF-8 becomes U+FFFD. HTML is not escaped; U+2028 and U+2029
// are, so that the text can stand in JavaScript. A nil slice is [], a nil map {}.
package json
