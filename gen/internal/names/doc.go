// Package names turns the words of a document into Go identifiers. It is a pure
// function of the intermediate form: the same document gives the same table on
// every run, and neither the order of its parts nor the order of maps matters.
//
// # From a key to an identifier
//
// An x-go-name is used as it stands. Every other identifier is made from the
// document's own key:
//
//  1. The key is cut into words at punctuation and spaces, where a lower-case
//     letter or a digit meets a capital (petId, oauth2Token), and before the last
//     capital of a run that a lower-case letter follows (HTTPServer).
//  2. Each word gets a leading capital; words that are known initialisms (ID, URL,
//     HTTP, JSON, …, also their plurals: IDs) are written in capitals; a key
//     without any lower-case letter is read as if shouted (ORDER_STATE gives
//     OrderState), unless it is one word of at most three letters (EUR).
//  3. Signs that carry meaning become words: < > = ! + * % & ^ ?, and a minus
//     before a number or at the very front: -1 is Minus1, != is NotEq, <= is LtEq.
//     A symbol without a word becomes its code point: U2744. A key that consists
//     of nothing else is spelled in full: "-" is Dash, "" is Empty.
//  4. A separator between two digits stays, as an underscore: 1.5 is 1_5, so that
//     it is not 15.
//  5. Letters of other scripts are kept. Combining marks, which Go does not allow
//     in identifiers, are dropped. What does not begin with a capital letter then
//     gets an X in front (an operation gets Op): 3d is X3d, 夏 is X夏.
//  6. Past 100 characters a name is cut and a short hash of its key is appended.
//
// # Names that meet
//
// Identifiers are given out in layers; a name of an earlier layer never changes
// because of one in a later layer:
//
//	reserved          Client and Service
//	components        components.schemas, those with an x-go-name first
//	inline types      named after their place, those with an x-go-name first
//	responses         components.responses
//	operations        request, response, result and error types
//	constants         of enums and security schemes, with the type's name in front
//	support           API, New, NewHandler, Unimplemented, …
//
// Client and Service are ours alone, and a schema of that name becomes ClientModel
// or ServiceModel: every program that uses a generated package writes these two
// names, and tools look for them, so they must not depend on what a document's
// schemas are called. With all other names the schema wins and our type gives way.
//
// Within one layer the winner of a name depends on the two keys alone: the key
// that already is the Go name wins, then the one of the root document, then the
// shorter, then the lesser in byte order; for an operation without an ID the key is
// its method and path, where a capital counts double and braces do not count, so that
// the plainer path wins. The loser takes its second form: a key
// with its separators spelled (host-fqdn: HostDashFqdn; id beside ID: IDLower), an
// inline type with Inline, a constant with Value, a parameter with its place
// (IDQuery), a request with Input. When that is taken too, a hash of the key is
// appended after an underscore. Only a key that meets another can be renamed by
// the arrival of that other one.
//
// # Private names
//
// An identifier that the generated package keeps to itself is a lower-case role
// followed by an exported name, such as decodeCreateBooking: see [Private]. Two
// roles are never the same word with a capital continuing it, so these cannot meet
// one another, nor a keyword, a predeclared name or the name of an import.
package names
