package load

const hexDigits = "0123456789abcdef"

// JSON returns n as compact JSON text: members in document order, numbers
// copied literally, strings with no more escapes than JSON demands. A nil node
// gives null.
func (n *Node) JSON() []byte { return n.AppendJSON(nil) }

// AppendJSON appends what JSON returns to dst.
func (n *Node) AppendJSON(dst []byte) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Bool, Number:
		return append(dst, n.Text...)
	case String:
		return appendString(dst, n.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, n.Members[i].Key)
			dst = append(dst, ':')
			dst = n.Members[i].Value.AppendJSON(dst)
		}
		return append(dst, '}')
	case Null:
	}
	return append(dst, "null"...)
}

// appendString appends s as a JSON string. The readers let only valid UTF-8
// through, so there is nothing to replace.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
