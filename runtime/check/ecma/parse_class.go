package ecma

// class reads a character class from its "[".
func (p *parser) class() (*node, error) {
	start := p.pos
	p.pos++
	negated := p.take("^")
	var set ranges
	for !p.take("]") {
		if p.pos >= len(p.src) {
			return nil, p.fail(start, "unclosed [")
		}
		var err error
		if set, err = p.classRange(set); err != nil {
			return nil, err
		}
	}
	return p.kept(p.src[start:p.pos], func() ranges {
		set := p.cased(set)
		if negated {
			set = set.negated()
		}
		return set
	}), nil
}

// classRange adds one character, set or range of a class to set.
func (p *parser) classRange(set ranges) (ranges, error) {
	start := p.pos
	low, lowSet, isSet, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	if !isSet {
		lowSet = ranges{{low, low}}
	}
	if p.peek(0) != '-' || p.peek(1) == ']' || p.peek(1) == 0 {
		return append(set, lowSet...), nil
	}
	p.pos++
	high, highSet, highIsSet, err := p.classAtom()
	switch {
	case err != nil:
		return nil, err
	case isSet || highIsSet:
		// [\w-.]: annex B says that a set is no end of a range, and that the
		// hyphen stands for itself.
		if !highIsSet {
			highSet = ranges{{high, high}}
		}
		return append(append(append(set, lowSet...), span{'-', '-'}), highSet...), nil
	case low > high:
		return nil, p.fail(start, "the range is out of order")
	}
	return append(set, span{low, high}), nil
}

func (p *parser) classAtom() (r rune, set ranges, isSet bool, err error) {
	if p.peek(0) != '\\' {
		return p.rune(), nil, false, nil
	}
	if p.peek(1) == 'b' {
		p.pos += 2
		return '\b', nil, false, nil
	}
	// A set may be without members: isSet is not whether it has any.
	c := p.peek(1) | 0x20
	isSet = c == 'd' || c == 'w' || c == 's' || c == 'p'
	r, set, err = p.escape(true)
	return r, set, isSet, err
}
