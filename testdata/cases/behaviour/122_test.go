package api_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/server"

	api "cases/c122"
	"cases/kit"
)

// service answers with the bytes it was sent, after the name of the field they were in.
type service struct{}

func (service) X(_ context.Context, req api.XRequest) (server.Body, error) {
	field, r := "xml:", req.Body.XML
	if req.Body.YAML != nil {
		field, r = "yaml:", req.Body.YAML
	}
	text, err := io.ReadAll(r)
	return server.Body{Reader: strings.NewReader(field + string(text))}, err
}

const xml = `<?xml version="1.0"?><box id="1"/>`

// Bytes are passed as they are, whatever their type.
func TestClient(t *testing.T) {
	for contentType, body := range map[string]api.XRequestBody{
		"application/xml":  {XML: strings.NewReader(xml)},
		"application/yaml": {YAML: strings.NewReader(xml)},
	} {
		sent := kit.Record(t, kit.Reply{Status: 200, Type: "application/x-protobuf", Body: "\x00\xff\x01"})
		res, err := kit.Client(t, api.New, sent.URL).X(t.Context(), api.XRequest{Body: body})
		kit.OK(t, err)
		data, err := io.ReadAll(res)
		kit.OK(t, err)
		kit.OK(t, res.Close())
		kit.Same(t, "result", []string{res.ContentType, string(data)}, []string{"application/x-protobuf", "\x00\xff\x01"})
		r := sent.Last(t)
		kit.Same(t, "request", []string{r.Header.Get("Content-Type"), r.Body}, []string{contentType, xml})
		kit.Same(t, "Accept", r.Header.Get("Accept"), "application/x-protobuf")
	}
	sent := kit.Record(t)
	_, err := kit.Client(t, api.New, sent.URL).X(t.Context(), api.XRequest{})
	kit.Fails(t, err)
	kit.Same(t, "requests", len(sent.Requests()), 0)
}

func TestServer(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	for line, want := range map[string]string{
		"Content-Type: application/xml":                "xml:" + xml,
		"Content-Type: application/xml; charset=utf-8": "xml:" + xml,
		"Content-Type: application/yaml":               "yaml:" + xml,
	} {
		answer := kit.Send(t, "POST", url+"/x", xml, line)
		kit.Same(t, line, answer.Body, want)
		kit.Same(t, line, answer.Header.Get("Content-Type"), "application/x-protobuf")
	}
	kit.Problem(t, kit.Send(t, "POST", url+"/x", `{"id":"1"}`, "Content-Type: application/json"), 415)
	kit.Problem(t, kit.Send(t, "POST", url+"/x", xml, "Content-Type: application/xml", "Accept: application/json"), 406)
}
