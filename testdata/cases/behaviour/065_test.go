package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c065"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

type service struct{ calls []api.GetLineRequest }

func (s *service) GetLine(_ context.Context, req api.GetLineRequest) error {
	s.calls = append(s.calls, req)
	return nil
}

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var line = api.GetLineRequest{OrderID: 7, LineID: "x", Type: "y"}

func TestPathOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	if err := newClient(t, wire.URL).GetLine(t.Context(), line); err != nil {
		t.Fatal(err)
	}
	if got := wire.Last(t).Target; got != "/o/7/l/x/t/y" {
		t.Errorf("sent to %q, want /o/7/l/x/t/y", got)
	}
}

func TestPathIsRead(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	got := kit.Send(t, http.MethodGet, url+"/o/7/l/x/t/y", "")
	if got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []api.GetLineRequest{line}) {
		t.Errorf("%d %s, the method got %+v, want %+v", got.Status, got.Body, svc.calls, line)
	}
}

// What is wrong with a parameter is told under the name that the document has.
func TestErrorsUseTheNameOfTheDocument(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	got := kit.Send(t, http.MethodGet, url+"/o/seven/l/x/t/y", "")
	if got.Status != http.StatusBadRequest || !kit.Names(got, "path", "order-id") || len(svc.calls) != 0 {
		t.Errorf("server: %d %s, want 400 that names order-id", got.Status, got.Body)
	}

	wire := kit.Record(t)
	err := newClient(t, wire.URL).GetLine(t.Context(), api.GetLineRequest{OrderID: 7, Type: "y"})
	var failed *fault.Error
	if !errors.As(err, &failed) || failed.Kind != fault.Request || !strings.Contains(err.Error(), "line.id") {
		t.Errorf("client: error %v, want one of kind Request that names line.id", err)
	}
	if n := len(wire.Requests()); n != 0 {
		t.Errorf("client: %d requests were sent", n)
	}
}
