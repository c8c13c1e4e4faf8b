package check

import (
	"net/netip"
	"strings"
)

// The character classes of RFC 3986.
const (
	unreservedMarks = "-._~"
	subDelims       = "!$&'()*+,;="
	pathMarks       = unreservedMarks + subDelims + ":@/"
	queryMarks      = pathMarks + "?"
)

// isURI checks the URI of RFC 3986: a scheme is there.
func isURI(s string) bool {
	rest, ok := cutScheme(s)
	return ok && isRelativeRef(rest, true)
}

// isURIReference checks the URI-reference of RFC 3986.
func isURIReference(s string) bool { return isURI(s) || isRelativeRef(s, false) }

func cutScheme(s string) (rest string, ok bool) {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) {
		return "", false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isLetter(c) && !isDigit(c) && c != '+' && c != '-' && c != '.' {
			return "", false
		}
	}
	return rest, true
}

// isRelativeRef checks what follows a scheme, or a reference without one,
// whose first segment must not look like a scheme.
func isRelativeRef(s string, afterScheme bool) bool {
	s, fragment, _ := strings.Cut(s, "#")
	s, query, _ := strings.Cut(s, "?")
	if !isURIText(fragment, queryMarks) || !isURIText(query, queryMarks) {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		authority, path := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			authority, path = rest[:i], rest[i:]
		}
		return isAuthority(authority) && isURIText(path, pathMarks)
	}
	if first, _, _ := strings.Cut(s, "/"); !afterScheme && strings.Contains(first, ":") {
		return false
	}
	return isURIText(s, pathMarks)
}

func isAuthority(s string) bool {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if !isURIText(s[:i], unreservedMarks+subDelims+":") {
			return false
		}
		s = s[i+1:]
	}
	host, port := s, ""
	if rest, ok := strings.CutPrefix(s, "["); ok {
		literal, rest, closed := strings.Cut(rest, "]")
		if !closed || !isIPLiteral(literal) || rest != "" && rest[0] != ':' {
			return false
		}
		host, port = "", strings.TrimPrefix(rest, ":")
	} else if i := strings.LastIndexByte(s, ':'); i >= 0 {
		host, port = s[:i], s[i+1:]
	}
	return isURIText(host, unreservedMarks+subDelims) && strings.Trim(port, "0123456789") == ""
}

// isIPLiteral checks what stands between brackets: an IPv6 address, or an
// address of a future version.
func isIPLiteral(s string) bool {
	if s != "" && s[0]|0x20 == 'v' {
		version, address, ok := strings.Cut(s[1:], ".")
		return ok && version != "" && strings.Trim(version, "0123456789abcdefABCDEF") == "" &&
			address != "" && isURIText(address, unreservedMarks+subDelims+":") && !strings.Contains(address, "%")
	}
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// isURIText checks for letters, digits, marks and percent-encoded bytes.
func isURIText(s, marks string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c), isDigit(c), strings.IndexByte(marks, c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isURITemplate checks the grammar of RFC 6570 with its erratum 6937, which
// allows the apostrophe.
func isURITemplate(s string) bool {
	for s != "" {
		open := strings.IndexByte(s, '{')
		literal := s
		if open >= 0 {
			literal = s[:open]
		}
		if !isTemplateLiteral(literal) {
			return false
		}
		if open < 0 {
			return true
		}
		expression, rest, closed := strings.Cut(s[open+1:], "}")
		if !closed || !isExpression(expression) {
			return false
		}
		s = rest
	}
	return true
}

func isTemplateLiteral(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 2
			continue
		}
		if c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	return true
}

// isExpression checks the inside of braces: an operator, and variables with
// their modifiers.
func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for variable := range strings.SplitSeq(s, ",") {
		name, length, prefixed := strings.Cut(strings.TrimSuffix(variable, "*"), ":")
		if prefixed && (length == "" || len(length) > 4 || length[0] == '0' || strings.Trim(length, "0123456789") != "") {
			return false
		}
		if name == "" || name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, "..") || !isURIText(name, "_.") {
			return false
		}
	}
	return true
}
