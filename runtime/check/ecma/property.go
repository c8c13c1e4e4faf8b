package ecma

import (
	"strings"
	"unicode"
)

// lookup returns the code points of a property, as it stands between the braces
// of \p{…}. Names are those of ECMA-262, tables 66 to 68; scripts without their
// key are taken over from other languages.
func lookup(name string) (ranges, bool) {
	key, v, hasKey := strings.Cut(name, "=")
	if !hasKey {
		if r, ok := category(name); ok {
			return r, true
		}
		if r, ok := binary(name); ok {
			return r, true
		}
		return script(name)
	}
	switch key {
	case "General_Category", "gc":
		return category(v)
	case "Script", "sc":
		return script(v)
	case "Script_Extensions", "scx":
		return extended(v)
	}
	return nil, false
}

func category(name string) (ranges, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	if t := unicode.Categories[name]; t != nil {
		return tableRanges(t), true
	}
	return nil, false
}

func script(name string) (ranges, bool) {
	if t := unicode.Scripts[longScript(name)]; t != nil {
		return tableRanges(t), true
	}
	return nil, false
}

func longScript(name string) string {
	if long, ok := scriptNames[name]; ok {
		return long
	}
	return name
}

// extended is a script with the code points that it shares with others, which
// count as Common or Inherited otherwise.
func extended(name string) (ranges, bool) {
	name = longScript(name)
	r, ok := script(name)
	if !ok {
		return nil, false
	}
	if name != "Common" && name != "Inherited" {
		return append(r, shared[name]...), true
	}
	var taken ranges
	for _, more := range shared {
		taken = append(taken, more...)
	}
	return r.without(taken), true
}

// binary returns the code points that have a binary property.
func binary(name string) (ranges, bool) {
	if long, ok := binaryNames[name]; ok {
		name = long
	}
	if r, ok := emoji[name]; ok {
		return r, true
	}
	if derive, ok := derived[name]; ok {
		return derive(), true
	}
	switch name {
	// These are no properties of ECMA-262.
	case "Hyphen", "STerm", "Prepended_Concatenation_Mark":
		return nil, false
	}
	if t := unicode.Properties[name]; t != nil && !strings.HasPrefix(name, "Other_") {
		return tableRanges(t), true
	}
	return nil, false
}

// union joins tables.
func union(tables ...*unicode.RangeTable) ranges {
	var out ranges
	for _, t := range tables {
		out = append(out, tableRanges(t)...)
	}
	return out
}

// derived are the properties that package unicode has the parts of, joined as
// DerivedCoreProperties.txt of the Unicode Character Database defines them.
var derived = map[string]func() ranges{
	"ASCII":    func() ranges { return ranges{{0, unicode.MaxASCII}} },
	"Any":      func() ranges { return anything },
	"Assigned": func() ranges { return union(unicode.Categories["Cn"]).negated() },
	"Alphabetic": func() ranges {
		return union(unicode.L, unicode.Nl, unicode.Other_Alphabetic)
	},
	"Lowercase": lowercase,
	"Uppercase": uppercase,
	"Cased":     func() ranges { return append(append(lowercase(), uppercase()...), union(unicode.Lt)...) },
	"Case_Ignorable": func() ranges {
		// The punctuation is what Word_Break has as MidLetter, MidNumLet and Single_Quote.
		return append(union(unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk), ranges{
			{'\'', '\''}, {'.', '.'}, {':', ':'}, {0xb7, 0xb7}, {0x387, 0x387}, {0x55f, 0x55f}, {0x5f4, 0x5f4},
			{0x2018, 0x2019}, {0x2024, 0x2024}, {0x2027, 0x2027}, {0xfe13, 0xfe13}, {0xfe52, 0xfe52}, {0xfe55, 0xfe55},
			{0xff07, 0xff07}, {0xff0e, 0xff0e}, {0xff1a, 0xff1a},
		}...)
	},
	"Math":        func() ranges { return union(unicode.Sm, unicode.Other_Math) },
	"ID_Start":    idStart,
	"ID_Continue": idContinue,
	"XID_Start": func() ranges {
		return idStart().without(append(ranges{{0xe33, 0xe33}, {0xeb3, 0xeb3}, {0xff9e, 0xff9f}}, notXID...))
	},
	"XID_Continue":    func() ranges { return idContinue().without(notXID) },
	"Grapheme_Extend": graphemeExtend,
	"Grapheme_Base": func() ranges {
		return append(union(unicode.C, unicode.Categories["Cn"], unicode.Zl, unicode.Zp), graphemeExtend()...).negated()
	},
	"Default_Ignorable_Code_Point": func() ranges {
		set := union(unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector)
		return set.without(append(union(unicode.White_Space, unicode.Prepended_Concatenation_Mark), span{0xfff9, 0xfffb}, span{0x13430, 0x13440}))
	},
}

func lowercase() ranges { return union(unicode.Ll, unicode.Other_Lowercase) }

func uppercase() ranges { return union(unicode.Lu, unicode.Other_Uppercase) }

func graphemeExtend() ranges { return union(unicode.Me, unicode.Mn, unicode.Other_Grapheme_Extend) }

func idStart() ranges {
	return union(unicode.L, unicode.Nl, unicode.Other_ID_Start).without(patternCharacters())
}

func idContinue() ranges {
	set := append(idStart(), union(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)...)
	return set.without(patternCharacters())
}

func patternCharacters() ranges { return union(unicode.Pattern_Syntax, unicode.Pattern_White_Space) }

// notXID are the code points of identifiers whose compatibility form is none
// (Unicode Standard Annex 31, section 5.1).
var notXID = ranges{
	{0x37a, 0x37a}, {0x309b, 0x309c}, {0xfc5e, 0xfc63}, {0xfdfa, 0xfdfb}, {0xfe70, 0xfe70}, {0xfe72, 0xfe72},
	{0xfe74, 0xfe74}, {0xfe76, 0xfe76}, {0xfe78, 0xfe78}, {0xfe7a, 0xfe7a}, {0xfe7c, 0xfe7c}, {0xfe7e, 0xfe7e},
}
