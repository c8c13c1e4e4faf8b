package c029_test

import (
	"testing"
	"time"

	"example.test/out/c029"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func TestDirections(t *testing.T) {
	v := read[c029.Account](t, `{"email":"a@example.test","password":"p"}`, request)
	if v.Password != "p" {
		t.Error("password is lost")
	}
	if v := read[c029.Account](t, `{"id":"mine","email":"a@example.test","password":"p"}`, request); v.ID != "" {
		t.Errorf("a caller set the id to %q", v.ID)
	}
	read[c029.Account](t, `{"id":"1","createdAt":"2024-01-02T03:04:05Z","email":"a@example.test"}`, response)
	refuse[c029.Account](t, `{"createdAt":"2024-01-02T03:04:05Z","email":"a@example.test"}`, response, "/id")
	refuse[c029.Account](t, `{"email":"a@example.test"}`, request, "/password")

	all := &c029.Account{ID: "1", CreatedAt: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Email: "e", Password: "p"}
	write(t, all, json.Mode{Direction: json.Request}, `{"email":"e","password":"p"}`)
	write(t, all, json.Mode{Direction: json.Response}, `{"id":"1","createdAt":"2024-01-02T03:04:05Z","email":"e"}`)
}
