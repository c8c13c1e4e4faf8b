package client_test

import (
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// A header parameter named Host is sent, although net/http keeps that header apart.
func TestHostParameter(t *testing.T) {
	got := ""
	c := core(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Host
		none(w, r)
	})
	_, err := call(t, c, op("GET", "/things", noContent), func(r *client.Request) {
		r.Path("/things")
		r.Header("Host", param.Simple, param.TextValue("shop.example.com"))
	})
	if err != nil || got != "shop.example.com" {
		t.Errorf("%q, %v", got, err)
	}
}
