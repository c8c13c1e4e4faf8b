package lint

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestWordsOf(t *testing.T) {
	for name, want := range map[string][]string{
		"createOrder": {"create", "order"}, "create-order": {"create", "order"}, "orders/create_order": {"orders", "create", "order"},
		"HTTPServer": {"http", "server"}, "getV2Things": {"get", "v2", "things"}, "": nil, "--": nil, "X": {"x"},
	} {
		if d := cmp.Diff(want, wordsOf(name)); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

func TestFinancial(t *testing.T) {
	for _, c := range []struct {
		id, path string
		want     bool
	}{
		{"", "/payments", true}, {"createRefund", "/x", true}, {"", "/orders/{id}/items", true}, {"", "/bookings/{id}/payment", true},
		{"", "/orders/search", false}, {"sortOrder", "/lists/{id}", false}, {"", "/things", false}, {"", "/payment-methods", false},
		{"", "/orders/{id}/a/b", false}, // what stands above is the owner, not the subject
	} {
		if got := financial(&ir.Operation{ID: c.id, Path: c.path}); got != c.want {
			t.Errorf("%q %s: %v, want %v", c.id, c.path, got, c.want)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ id, path, want string }{
		{"deleteThing", "/x", "delete"}, {"users/send-mail", "/x", "send"}, {"", "/things/{id}/cancel", "cancel"}, {"x", "/user/logout", "logout"},
		{"getThing", "/things/{id}/cancel", ""}, {"", "/cancel", ""}, {"", "/things/{id}/archive", ""}, {"listThings", "/things", ""},
		{"creation", "/x", ""}, {"", "/cancelled", ""}, {"updates", "/x", ""},
	} {
		if got := command(&ir.Operation{ID: c.id, Path: c.path}); got != c.want {
			t.Errorf("%q %s: %q, want %q", c.id, c.path, got, c.want)
		}
	}
}

func TestPastTense(t *testing.T) {
	for name, want := range map[string]bool{
		"MoneyDeposited": true, "OrderPlaced": true, "order.shipped": true, "InvoicePaid": true, "MoneyWithdrawn": true, "ItemSold": true,
		"order_paid_v2": true, "PlaceOrder": false, "DepositMoney": false, "Feed": false, "OrderNeed": false, "Order": false, "": false,
	} {
		if got := pastTense(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestNamesOfValues(t *testing.T) {
	for name, want := range map[string][2]bool{ // secret, volatile
		"password": {true, false}, "cardNumber": {true, false}, "card_number": {true, false}, "cvc": {true, false}, "X-Api-Key": {true, false},
		"pin": {true, false}, "spinner": {false, false}, "createdAt": {false, true}, "requestId": {false, true}, "timestamp": {false, true},
		"Date": {false, true}, "orderId": {false, false}, "startDate": {false, false}, "number": {false, false},
	} {
		if got := [2]bool{secretName(name), volatileName(name)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"250ms": 250 * time.Millisecond, "1m30s": 90 * time.Second, "7d": 168 * time.Hour, "1d12h": 36 * time.Hour, "0s": 0,
	} {
		if got, ok := spanOf(text); !ok || got != want {
			t.Errorf("spanOf(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x", "off", "dd"} {
		if got, ok := spanOf(text); ok && got != 0 {
			t.Errorf("spanOf(%q) = %v", text, got)
		}
	}
	for d, want := range map[time.Duration]string{
		90 * time.Second: "1m30s", time.Minute: "1m", 24 * time.Hour: "24h", 0: "0s", 100 * time.Hour: "100h", 30 * time.Second: "30s",
		10 * time.Minute: "10m", 10 * time.Hour: "10h", 3601 * time.Second: "1h0m1s",
	} {
		if got := spanText(d); got != want {
			t.Errorf("spanText(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"1MB": 1_000_000, "64KiB": 65_536, "2GiB": 2 << 30, "10B": 10} {
		if got, ok := sizeOf(text); !ok || got != want {
			t.Errorf("sizeOf(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "MB", "-1MB", "99999999999GiB", "5"} {
		if got, ok := sizeOf(text); ok {
			t.Errorf("sizeOf(%q) = %d", text, got)
		}
	}
	if got := sizeText(5<<20 + 1); got != "6MiB" {
		t.Errorf("rounded up: %s", got)
	}
}

// Statuses that the same request gets again, against those that pass.
func TestAtFault(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 410, 422, 451} {
		if !atFault.Has(status) {
			t.Errorf("%d is no fault of the request", status)
		}
	}
	for _, status := range []int{408, 409, 421, 423, 425, 429, 500, 503} {
		if atFault.Has(status) {
			t.Errorf("%d is a fault of the request", status)
		}
	}
	all := policy.StatusSet(404, 425).Range(500, 599)
	if d := cmp.Diff([]string{"425", "5xx"}, statusList(all, atFault)); d != "" {
		t.Error(d)
	}
	if got := statusList(policy.StatusSet(404), atFault); got == nil || len(got) != 0 {
		t.Errorf("nothing left is %#v", got)
	}
}

// The largest answer counts what is bounded, and a type inside itself once.
func TestLargestAnswer(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	text := &ir.Type{Kind: ir.KindScalar, Checks: &ir.Checks{MaxLength: n(10)}}
	node := &ir.Type{Kind: ir.KindStruct}
	node.Fields = []*ir.Field{{Name: "abc", Use: &ir.Use{Type: text}}, {Name: "sub", Use: &ir.Use{Type: node}}}
	list := &ir.Type{Kind: ir.KindArray, Elem: &ir.Use{Type: node}, Checks: &ir.Checks{MaxItems: n(4)}}
	op := &ir.Operation{Responses: []*ir.Response{
		{Status: "200", Contents: []*ir.Content{{Use: &ir.Use{Type: list}}}},
		{Status: "500", Contents: []*ir.Content{{Use: &ir.Use{Type: text, Checks: &ir.Checks{MaxLength: n(9999)}}}}},
	}}
	if got, want := largestAnswer(op), int64(4*(3+10+3)); got != want {
		t.Errorf("largest is %d, want %d", got, want)
	}
	huge := &ir.Type{Kind: ir.KindScalar, Checks: &ir.Checks{MaxLength: n(1 << 62)}}
	nested := &ir.Use{Type: huge}
	for range 5 {
		nested = &ir.Use{Type: &ir.Type{Kind: ir.KindArray, Elem: nested, Checks: &ir.Checks{MaxItems: n(1 << 40)}}}
	}
	if got := largestAnswer(&ir.Operation{Responses: []*ir.Response{{Status: "2XX", Contents: []*ir.Content{{Use: nested}}}}}); got < 0 || got > maxAnswer {
		t.Errorf("out of bounds: %d", got)
	}
}

func TestRank(t *testing.T) {
	order := []string{"built-in", "defaults", "apply[2]", "tag quotes", "path item", "operation", "variant streamed", "profile prod"}
	for i, level := range order {
		if got := rank(level); got != i {
			t.Errorf("%s ranks %d, want %d", level, got, i)
		}
	}
}
