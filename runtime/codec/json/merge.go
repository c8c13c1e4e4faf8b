package json

// Merge writes several objects as one, for an anyOf of which more than one
// variant is set. A member that several have is written once; it fails when
// they do not agree on its value. nil is passed over.
func (e *Encoder) Merge(parts ...Marshaler) {
	type member struct{ raw, text string }
	var seen []member
	e.BeginObject()
	for _, part := range parts {
		if part == nil {
			continue
		}
		text, ok := e.object(part)
		if !ok {
			return
		}
		eachMember(text, func(raw string, begin, end int) bool {
			var same *member
			for i := range seen {
				if seen[i].raw == raw {
					same = &seen[i]
				}
			}
			if same != nil && (same.text == text[begin:end] || Equal([]byte(same.text), []byte(text[begin:end]))) {
				return true
			}
			e.sep()
			e.buf = append(e.buf, '"')
			e.buf = append(e.buf, raw...)
			e.buf = append(e.buf, '"', ':')
			if same != nil {
				e.Fail("two variants of an anyOf differ in this member")
				return false
			}
			seen = append(seen, member{raw, text[begin:end]})
			e.buf = append(e.buf, text[begin:end]...)
			return true
		})
	}
	e.EndObject()
}

// Tagged writes v, which has to be an object, with the string member name set
// to tag: the discriminator of a union. A member of that name keeps its place,
// a missing one is put first.
func (e *Encoder) Tagged(name, tag string, v Marshaler) {
	if e.err != nil {
		return
	}
	text, ok := e.object(v)
	if !ok {
		return
	}
	e.sep()
	key := string(appendString(nil, name))
	replaced := false
	eachMember(text, func(raw string, begin, end int) bool {
		if raw != key[1:len(key)-1] {
			return true
		}
		e.buf = append(e.buf, text[:begin]...)
		e.buf = appendString(e.buf, tag)
		e.buf = append(e.buf, text[end:]...)
		replaced = true
		return false
	})
	if replaced {
		return
	}
	e.buf = append(append(append(e.buf, '{'), key...), ':')
	e.buf = appendString(e.buf, tag)
	if rest := text[1:]; rest != "}" {
		e.buf = append(e.buf, ',')
		e.buf = append(e.buf, rest...)
		return
	}
	e.buf = append(e.buf, '}')
}

// object returns the text of v, which has to be an object.
func (e *Encoder) object(v Marshaler) (text string, ok bool) {
	part := Encoder{mode: e.mode, depth: e.depth}
	part.Value(v)
	if part.err != nil {
		if e.err == nil {
			e.Fail(part.err.Message)
			e.err.Pointer += part.err.Pointer
		}
		return "", false
	}
	text = string(part.buf)
	if text == "" || text[0] != '{' {
		e.Fail("a variant of the union is no object")
		return "", false
	}
	return text, true
}

// eachMember calls f with the raw name and the value's place of each member of
// an object written by an Encoder, until f returns false.
func eachMember(s string, f func(raw string, begin, end int) bool) {
	i := 1
	for i < len(s) && s[i] == '"' {
		raw, begin, fault := scanKey(s, i)
		if fault != "" {
			return
		}
		end, fault := scanValue(s, begin, len(s))
		if fault != "" || !f(raw, begin, end) {
			return
		}
		i = end + 1 // behind the comma
	}
}
