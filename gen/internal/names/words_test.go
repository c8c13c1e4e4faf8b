package names

import (
	"go/ast"
	"go/token"
	"testing"

	"pgregory.net/rapid"
)

func TestExported(t *testing.T) {
	tests := []struct {
		keys []string
		want string
	}{
		{[]string{"Pet"}, "Pet"},
		{[]string{"pet_id"}, "PetID"},
		{[]string{"petIds"}, "PetIDs"},
		{[]string{"IDs"}, "IDs"},
		{[]string{"HTTPServer"}, "HTTPServer"},
		{[]string{"httpUrl"}, "HTTPURL"},
		{[]string{"oauth2Token"}, "Oauth2Token"},
		{[]string{"IPv4"}, "IPv4"},
		{[]string{"ORDER_STATE"}, "OrderState"},
		{[]string{"ORDER_ID"}, "OrderID"},
		{[]string{"EUR"}, "EUR"},
		{[]string{"OPEN"}, "Open"},
		{[]string{"io.k8s.api.core.v1.Pod"}, "IoK8sAPICoreV1Pod"},
		{[]string{"Pet", "owner"}, "PetOwner"},
		{[]string{"get", "books", "by", "book-id"}, "GetBooksByBookID"},
		{[]string{"-1"}, "Minus1"},
		{[]string{"+1"}, "Plus1"},
		{[]string{"1.5"}, "X1_5"},
		{[]string{"v1", "2"}, "V1_2"},
		{[]string{"-created_at"}, "MinusCreatedAt"},
		{[]string{"="}, "Eq"},
		{[]string{"!="}, "NotEq"},
		{[]string{"<="}, "LtEq"},
		{[]string{"*"}, "Star"},
		{[]string{""}, "Empty"},
		{[]string{"-"}, "Dash"},
		{[]string{"_"}, "Underscore"},
		{[]string{"StartTime<"}, "StartTimeLt"},
		{[]string{"StartTime>"}, "StartTimeGt"},
		{[]string{"$ref_like"}, "RefLike"},
		{[]string{"@type"}, "Type"},
		{[]string{"3d"}, "X3d"},
		{[]string{"夏"}, "X夏"},
		{[]string{"été"}, "Été"},
		{[]string{"e\u0301te\u0301"}, "Ete"},
		{[]string{"straße"}, "Straße"},
		{[]string{"❄️"}, "U2744"},
		{[]string{"error"}, "Error"},
		{[]string{`say "hi"`}, "SayHi"},
		{[]string{"a/b~1c"}, "AB1c"},
	}
	for _, tt := range tests {
		if got := Exported(tt.keys...); got != tt.want {
			t.Errorf("Exported(%q) = %s, want %s", tt.keys, got, tt.want)
		}
	}
}

func TestSpelled(t *testing.T) {
	for key, want := range map[string]string{
		"host-fqdn": "HostDashFqdn",
		"host_fqdn": "HostUnderscoreFqdn",
		"HostFqdn":  "HostFqdn",
		"hostFqdn":  "HostFqdnLower",
		"_id":       "UnderscoreID",
		"id":        "IDLower",
		"ID":        "ID",
		"":          "Empty",
	} {
		if got := Spelled(key); got != want {
			t.Errorf("Spelled(%q) = %s, want %s", key, got, want)
		}
	}
}

func TestStatusAndMedia(t *testing.T) {
	for key, want := range map[string]string{
		"200": "OK", "404": "NotFound", "4XX": "4XX", "5xx": "5XX", "default": "Default",
		"418": "ImATeapot", "299": "Status299", "203": "NonAuthoritativeInformation",
	} {
		if got := Status(key); got != want {
			t.Errorf("Status(%q) = %s, want %s", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"application/json": "JSON", "text/csv": "CSV", "text/plain; charset=utf-8": "Text",
		"application/xml": "XML", "image/png": "ImagePng", "image/*": "Image", "*/*": "Any",
		"application/vnd.acme.v2+json": "AcmeV2JSON", "application/octet-stream": "Binary",
		"application/json;version=2": "JSONVersion2", "multipart/form-data": "Form",
	} {
		if got := Media(key); got != want {
			t.Errorf("Media(%q) = %s, want %s", key, got, want)
		}
	}
}

// Any text at all gives a legal, exported identifier.
func TestExportedIsAnIdentifier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.String().Draw(t, "key")
		for _, name := range []string{Exported(key), Spelled(key), Exported("1", key), exported("Op", []string{key})} {
			if !token.IsIdentifier(name) || !ast.IsExported(name) {
				t.Fatalf("key %q gives %q", key, name)
			}
		}
	})
}
