package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address is where a request comes from: the peer's address, or, as long as that is
// a trusted proxy's, the last one in X-Forwarded-For. What stands to the left of an
// address that is not trusted may be invented. Empty where it is not known.
func address(r *http.Request, trusted []netip.Prefix) string {
	peer, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr // a name that a test or a listener gives
	}
	if len(trusted) == 0 || !within(peer, trusted) {
		return peer.String()
	}
	lines := r.Header["X-Forwarded-For"]
	for _, rest := range slices.Backward(lines) {
		for more := true; more; {
			var one string
			if j := strings.LastIndexByte(rest, ','); j >= 0 {
				rest, one = rest[:j], rest[j+1:]
			} else {
				one, more = rest, false
			}
			next, ok := parseAddress(strings.Trim(one, " \t"))
			if !ok {
				return peer.String()
			}
			if peer = next; !within(peer, trusted) {
				return peer.String()
			}
		}
	}
	return peer.String()
}

// parseAddress reads an address with a port or without. Addresses of version 4 in
// version 6 are those of version 4, and zones do not count.
func parseAddress(s string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	a, err := netip.ParseAddr(s)
	return a.Unmap().WithZone(""), err == nil
}

func within(a netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
