package c014_test

import (
	"testing"

	"example.test/out/c014"
)

func TestSevenFields(t *testing.T) {
	const text = `{"host-fqdn":"1","host_fqdn":"2","HostFqdn":"3","hostFqdn":"4","_id":"5","id":"6","ID":"7"}`
	v := read[c014.Host](t, text, strict)
	for i, got := range []string{
		v.HostDashFqdn.Or(""), v.HostUnderscoreFqdn.Or(""), v.HostFqdn.Or(""), v.HostFqdnLower.Or(""),
		v.UnderscoreID.Or(""), v.IDLower.Or(""), v.ID.Or(""),
	} {
		if want := string(rune('1' + i)); got != want {
			t.Errorf("field %d is %q, want %q", i, got, want)
		}
	}
	round[c014.Host](t, text)
}
