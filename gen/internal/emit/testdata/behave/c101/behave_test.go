package c101_test

import (
	"math/big"
	"net/netip"
	"testing"

	"example.test/out/c101"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestCustomTypes(t *testing.T) {
	v := &c101.APIHandler{
		ID: "1", Total: value.Some(*big.NewInt(12)), Addr: value.Some(netip.MustParseAddr("::1")), Kind: value.Some(c101.APIHandlerKindAlpha),
	}
	const text = `{"id":"1","total":"12","addr":"::1","kind":"a"}`
	write(t, v, lenient, text)
	round[c101.APIHandler](t, text)
	refuse[c101.APIHandler](t, `{"id":"1","total":"x"}`, lenient, "/total")
	refuse[c101.APIHandler](t, `{"id":"1","addr":7}`, lenient, "/addr")
}
