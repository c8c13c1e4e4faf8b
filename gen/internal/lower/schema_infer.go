package lower

// byteFormats are the formats that make bytes of a text, as far as a missing type is
// concerned.
var byteFormats = map[string]bool{"byte": true, "binary": true, "base64url": true}

// inferred is the types of a shape that does not say them. One that has members is
// meant as an object, one that has items as an array, and one that has an encoding as
// bytes: published documents leave the type out of these. JSON Schema would take
// anything else, too, and of bounds alone (minimum, maxLength, format) documents mean no
// more than it does: there the value may be anything, and what a bound is about is held
// to it.
func (s *shape) inferred() typeSet {
	return both(s.spoken(), s.only)
}

// spoken is inferred without regard to the type that a union has set apart.
func (s *shape) spoken() typeSet {
	if s.types != 0 {
		return s.types
	}
	if s.hasEnum || s.constant != nil {
		return s.listedTypes()
	}
	if s.exact {
		return 0
	}
	var t typeSet
	if len(s.props) > 0 || len(s.extras) > 0 || s.open || s.closed || len(s.patterns) > 0 || len(s.required) > 0 {
		t |= tObject
	}
	if len(s.items) > 0 || len(s.prefix) > 0 {
		t |= tArray
	}
	if byteFormats[s.format] || s.encoding != "" {
		t |= tString
	}
	return t
}

// bounded is the type that the bounds of a shape without a type are about, 0 for
// several. A text that is not JSON, such as a parameter, has to be read as something.
func (s *shape) bounded() typeSet {
	if s.inferred() != 0 || len(s.unions) > 0 {
		return 0
	}
	c := &s.checks
	var t typeSet
	if c.MinProperties != nil || c.MaxProperties != nil {
		t |= tObject
	}
	if c.MinItems != nil || c.MaxItems != nil || c.UniqueItems {
		t |= tArray
	}
	if c.MinLength != nil || c.MaxLength != nil || len(c.Pattern) > 0 || checkedFormat(s.format) {
		t |= tString
	}
	switch {
	case integerScalars[s.format] != 0:
		t |= tInteger
	case c.Minimum != "" || c.Maximum != "" || c.MultipleOf != "" || s.format == "float" || s.format == "double":
		t |= tNumber
	}
	if t.count() != 1 {
		return 0
	}
	return t
}

// listedTypes are the types of the values of enum or const.
func (s *shape) listedTypes() typeSet {
	var t typeSet
	for _, item := range s.enum {
		t |= valueType(item.value)
	}
	if s.constant != nil {
		t = jsonType(s.constant) &^ tNull
	}
	if t&tNumber != 0 {
		t &^= tInteger
	}
	return t
}

// jsonTypes are the types that values of atoms can have, without null; 0 when any.
func (l *lowerer) jsonTypes(atoms []atom) typeSet {
	single := len(atoms) == 1 && atoms[0].plain()
	if single {
		if t, ok := l.schemas.kinds[atoms[0].node]; ok {
			return t
		}
		l.schemas.kinds[atoms[0].node] = tValues // of what leads back here
		if !l.deeper(atoms[0].node) {
			return tValues
		}
		defer l.shallower()
	}
	s := l.flatten(atoms)
	t := s.inferred()
	for _, u := range s.unions {
		t = both(t, l.unionTypes(u))
	}
	if single {
		l.schemas.kinds[atoms[0].node] = t
	}
	return t
}

func (l *lowerer) unionTypes(u unionRef) typeSet {
	var t typeSet
	for _, v := range u.variants {
		vt := l.jsonTypes([]atom{{node: v}})
		if vt == 0 {
			return 0
		}
		t |= vt
	}
	return t
}

// both is what two sets allow when 0 means any type.
func both(t, u typeSet) typeSet {
	switch {
	case t == 0:
		return u
	case u == 0:
		return t
	default:
		return t.and(u)
	}
}

// isFile reports whether a schema is bytes and no JSON.
func (s *shape) isFile() bool {
	return s.format == "binary" || s.encoding == "" && s.media != "" && !textMedia(s.media) && s.types == tString
}

// textMedia reports whether content of a media type is text that a JSON string can
// hold as it is.
func textMedia(media string) bool {
	switch media {
	case "application/json", "application/xml", "application/yaml", "application/javascript", "application/jwt":
		return true
	}
	return len(media) > 5 && media[:5] == "text/"
}
