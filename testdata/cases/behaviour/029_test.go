package api_test

import (
	"context"
	"strings"
	"testing"
	"time"

	api "cases/c029"
	"cases/kit"
)

var (
	created = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	whole   = api.Account{ID: "1", CreatedAt: created, Email: "a@example.test", Password: "p"}
)

const (
	requestText  = `{"email":"a@example.test","password":"p"}`
	responseText = `{"id":"1","createdAt":"2024-01-02T03:04:05Z","email":"a@example.test"}`
)

type service struct{ got *api.Account }

func (s service) CreateAccount(_ context.Context, req api.CreateAccountRequest) (*api.Account, error) {
	*s.got = req.Body
	res := whole
	return &res, nil
}

func TestClient(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 201, Type: "application/json", Body: responseText})
	res, err := kit.Client(t, api.New, sent.URL).CreateAccount(t.Context(), api.CreateAccountRequest{Body: whole})
	kit.OK(t, err)
	kit.Same(t, "body", sent.Last(t).Body, requestText)
	kit.Same(t, "result", *res, api.Account{ID: "1", CreatedAt: created, Email: "a@example.test"})

	for name, member := range map[string]string{"/id": `"id":"1",`, "/createdAt": `"createdAt":"2024-01-02T03:04:05Z",`} {
		short := strings.Replace(responseText, member, "", 1)
		url := kit.Record(t, kit.Reply{Status: 201, Type: "application/json", Body: short}).URL
		_, err = kit.Client(t, api.New, url).CreateAccount(t.Context(), api.CreateAccountRequest{})
		kit.Fails(t, err, name)
	}
}

func TestServer(t *testing.T) {
	var got api.Account
	url := kit.Serve(t, api.NewHandler(service{&got})) + "/accounts"
	for _, body := range []string{requestText, `{"id":"9","createdAt":"never","email":"a@example.test","password":"p"}`} {
		answer := kit.Send(t, "POST", url, body, "Content-Type: application/json")
		kit.Same(t, "status", answer.Status, 201)
		kit.Same(t, "answer", answer.Body, responseText)
		kit.Same(t, "what the service sees", got, api.Account{Email: "a@example.test", Password: "p"})
	}
	kit.Problem(t, kit.Send(t, "POST", url, `{}`, "Content-Type: application/json"), 400, "/email", "/password")
	short := kit.Send(t, "POST", url, `{}`, "Content-Type: application/json")
	if strings.Contains(short.Body, "createdAt") || strings.Contains(short.Body, "/id") {
		t.Errorf("a read-only member is demanded: %s", short.Body)
	}
}

func TestBothSides(t *testing.T) {
	var got api.Account
	url := kit.Serve(t, api.NewHandler(service{&got}))
	res, err := kit.Client(t, api.New, url).CreateAccount(t.Context(), api.CreateAccountRequest{Body: whole})
	kit.OK(t, err)
	kit.Same(t, "request", got, api.Account{Email: "a@example.test", Password: "p"})
	kit.Same(t, "result", *res, api.Account{ID: "1", CreatedAt: created, Email: "a@example.test"})
}
