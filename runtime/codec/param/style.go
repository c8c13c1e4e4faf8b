package param

// Style is how a parameter's value is laid out as text: one of the styles of
// OpenAPI, together with flags. A Style without one of the styles is Simple in
// a path or header and Form elsewhere.
type Style uint16

// The styles, of which a Style holds one.
const (
	Simple         Style = 1 << iota // 3,4 in paths and headers
	Label                            // .3.4 in paths
	Matrix                           // ;id=3;id=4 in paths
	Form                             // id=3&id=4 in queries, forms and cookies
	SpaceDelimited                   // id=3%204 in queries
	PipeDelimited                    // id=3%7C4 in queries
	DeepObject                       // id[a]=3&id[b][c]=4 in queries and forms
)

// The flags.
const (
	// Explode writes each item of a list, and each member of an object, apart.
	// Where OpenAPI gives it no meaning (spaceDelimited and pipeDelimited) it
	// is what it is for Form.
	Explode Style = 1 << (iota + 8)
	// AllowReserved leaves the reserved characters of RFC 3986, and percent
	// triplets that the value already holds, as they are. What would end or
	// split the value at its place is still escaped.
	AllowReserved
	// AllowEmpty lets "name=" stand for a parameter without a value: a reader
	// whose type has no empty text then sees an absent parameter.
	AllowEmpty
)

// layout is the style that counts at a place: one that the place does not
// have, or none, is the place's default.
func (s Style) layout(place place) Style {
	own, other, def := Form|SpaceDelimited|PipeDelimited|DeepObject, Simple|Label|Matrix, Form
	switch place {
	case inPath:
		own, other, def = other, own, Simple
	case inHeader:
		return Simple | s&(Explode|AllowEmpty)
	case inCookie:
		return Form | s&(Explode|AllowEmpty)
	}
	s &^= other
	switch {
	case s&own == 0:
		s |= def
	case s.has(SpaceDelimited|PipeDelimited) && s.has(Explode):
		s = Form | s&^own
	}
	return s
}

func (s Style) has(flag Style) bool { return s&flag != 0 }

// place is where a parameter stands, which decides how it is escaped.
type place uint8

const (
	inPath place = iota
	inQuery
	inHeader
	inCookie
	inForm // a urlencoded body: as inQuery, with + for a space
	inText // a text of its own, such as a part of a multipart body
)

// String is the word that check.Violation and errors use.
func (p place) String() string {
	return [...]string{"path", "query", "header", "cookie", "body", "body"}[p]
}
