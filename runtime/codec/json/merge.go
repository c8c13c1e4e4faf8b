package json

// Merge writes several objects as one, for an anyOf of which more than one
// variant is set. A member that several have is written once, with what each of
// them knows of it; it fails when they do not agree on its value. nil is passed
// over.
func (e *Encoder) Merge(parts ...Marshaler) {
	var all []mergedMember
	for _, part := range parts {
		if part == nil {
			continue
		}
		text, ok := e.object(part)
		if !ok {
			return
		}
		all = mergeMembers(all, text)
	}
	e.BeginObject()
	for i := range all {
		e.sep()
		e.buf = append(e.buf, '"')
		e.buf = append(e.buf, all[i].raw...)
		e.buf = append(e.buf, '"', ':')
		if all[i].torn {
			e.Fail("two variants of an anyOf differ in this member")
			return
		}
		e.buf = append(e.buf, all[i].text...)
	}
	e.EndObject()
}

// mergedMember is a member of one or more of the texts that are merged: its name as
// it is written, and its value.
type mergedMember struct {
	raw, text string
	torn      bool // the values contradict each other
}

// mergeMembers adds the members of an object.
func mergeMembers(all []mergedMember, object string) []mergedMember {
	had := len(all)
	eachMember(object, func(raw string, begin, end int) bool {
		text := object[begin:end]
		for i := range all[:had] {
			if same := &all[i]; same.raw == raw {
				merged, ok := mergeText(same.text, text)
				same.text, same.torn = merged, same.torn || !ok
				return true
			}
		}
		all = append(all, mergedMember{raw: raw, text: text})
		return true
	})
	return all
}

// mergeText is what two texts of one value say together. A variant keeps of an object
// the members that it knows, so two may have different ones of the same.
func mergeText(a, b string) (string, bool) {
	switch {
	case a == b:
		return a, true
	case a[0] == '{' && b[0] == '{':
		out := []byte{'{'}
		for i, m := range mergeMembers(mergeMembers(nil, a), b) {
			if m.torn {
				return a, false
			}
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(append(out, '"'), m.raw...), '"', ':'), m.text...)
		}
		return string(append(out, '}')), true
	case a[0] == '[' && b[0] == '[':
		return mergeItems(a, b)
	}
	return a, Equal([]byte(a), []byte(b))
}

// mergeItems merges two lists of one length, item by item.
func mergeItems(a, b string) (string, bool) {
	x, y := itemsOf(a), itemsOf(b)
	if len(x) != len(y) {
		return a, false
	}
	out := []byte{'['}
	for i := range x {
		item, ok := mergeText(x[i], y[i])
		if !ok {
			return a, false
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return string(append(out, ']')), true
}

// itemsOf are the texts of the items of a list written by an Encoder.
func itemsOf(s string) []string {
	var items []string
	for i := 1; i < len(s) && s[i] != ']'; {
		end, fault := scanValue(s, i, len(s))
		if fault != "" {
			return items
		}
		items = append(items, s[i:end])
		i = end + 1 // behind the comma
	}
	return items
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
