package api_test

import (
	"context"
	"encoding/json"
	"testing"

	api "cases/c014"
	"cases/kit"
)

const wire = `{"host-fqdn":"1","host_fqdn":"2","HostFqdn":"3","hostFqdn":"4","_id":"5","id":"6","ID":"7"}`

type service struct{ host *api.Host }

func (s service) GetHost(context.Context) (*api.Host, error) { return s.host, nil }

func TestSevenFields(t *testing.T) {
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetHost(t.Context())
	kit.OK(t, err)
	fields := []string{
		got.HostDashFqdn.Or(""), got.HostUnderscoreFqdn.Or(""), got.HostFqdn.Or(""), got.HostFqdnLower.Or(""),
		got.UnderscoreID.Or(""), got.IDLower.Or(""), got.ID.Or(""),
	}
	kit.Same(t, "fields", fields, []string{"1", "2", "3", "4", "5", "6", "7"})
	kit.Same(t, "number of fields", len(kit.Parse(t).Fields("Host")), 7)

	url := kit.Serve(t, api.NewHandler(service{got}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/hosts", "").Body, wire)
}

// Member names are told apart byte for byte, in whatever order they come.
func TestEachAlone(t *testing.T) {
	for _, wire := range []string{
		`{"ID":"7"}`, `{"id":"6"}`, `{"_id":"5"}`, `{"hostFqdn":"4"}`, `{"HostFqdn":"3"}`, `{"host_fqdn":"2"}`, `{"host-fqdn":"1"}`,
	} {
		var host api.Host
		kit.OK(t, json.Unmarshal([]byte(wire), &host))
		text, err := json.Marshal(host)
		kit.OK(t, err)
		kit.Same(t, "encoded again", string(text), wire)
	}
	var host api.Host
	kit.OK(t, json.Unmarshal([]byte(`{"Id":"no","iD":"no","HOSTFQDN":"no"}`), &host))
	kit.Same(t, "host", host, api.Host{})
}
