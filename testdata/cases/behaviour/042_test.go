package api_test

import (
	"context"
	"testing"

	api "cases/c042"
	"cases/kit"
)

type service struct{ got *api.Contact }

func (s service) AddContact(_ context.Context, req api.AddContactRequest) error {
	*s.got = req.Body
	return nil
}

func TestEitherAndBoth(t *testing.T) {
	phone, mail := &api.Phone{Phone: "1"}, &api.Mail{Mail: "m@example.test"}
	var got api.Contact
	url := kit.Serve(t, api.NewHandler(service{&got}))
	sent := kit.Record(t)
	for wire, want := range map[string]api.Contact{
		`{"phone":"1","mail":"m@example.test"}`: {Phone: phone, Mail: mail},
		`{"phone":"1"}`:                         {Phone: phone},
		`{"mail":"m@example.test"}`:             {Mail: mail},
	} {
		got = api.Contact{}
		kit.Same(t, "status of "+wire, kit.Send(t, "POST", url+"/contacts", wire, "Content-Type: application/json").Status, 204)
		kit.Same(t, wire, got, want)
		kit.OK(t, kit.Client(t, api.New, sent.URL).AddContact(t.Context(), api.AddContactRequest{Body: got}))
		kit.Same(t, "encoded again", sent.Last(t).Body, wire)
		got = api.Contact{}
		kit.OK(t, kit.Client(t, api.New, url).AddContact(t.Context(), api.AddContactRequest{Body: want}))
		kit.Same(t, "from the client", got, want)
	}
}

func TestNeither(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{new(api.Contact)}))
	for _, body := range []string{`{}`, `{"phone":1}`, `[]`} {
		kit.Problem(t, kit.Send(t, "POST", url+"/contacts", body, "Content-Type: application/json"), 400, "Phone", "Mail")
	}
	sent := kit.Record(t)
	kit.Fails(t, kit.Client(t, api.New, sent.URL).AddContact(t.Context(), api.AddContactRequest{}), "Contact")
	kit.Same(t, "requests", len(sent.Requests()), 0)
}
