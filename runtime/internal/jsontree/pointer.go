package jsontree

import (
	"strconv"
	"strings"
)

// At is the value at a JSON pointer (RFC 6901); "" is the value itself. It
// reports false where the pointer leads nowhere.
func (v Value) At(pointer string) (Value, bool) {
	for pointer != "" {
		if pointer[0] != '/' {
			return Value{}, false
		}
		name, rest := pointer[1:], ""
		if i := strings.IndexByte(name, '/'); i >= 0 {
			name, rest = name[:i], name[i:]
		}
		pointer = rest
		next, ok := v.child(strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"))
		if !ok {
			return Value{}, false
		}
		v = next
	}
	return v, true
}

func (v Value) child(name string) (Value, bool) {
	switch v.Kind {
	case Object:
		return v.Get(name)
	case Array:
		// RFC 6901, section 4: no leading zeros; "-" names no value that exists.
		i, err := strconv.ParseUint(name, 10, 31)
		if err != nil || int(i) >= len(v.Items) || len(name) > 1 && name[0] == '0' {
			return Value{}, false
		}
		return v.Items[i], true
	}
	return Value{}, false
}
