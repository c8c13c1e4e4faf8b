package gen_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// remoteDocuments stand for the documents that schemas of the suite refer to over the
// network and that the copy of the suite does not hold. They are as small as the tests
// allow. BASE is the address of the server.
var remoteDocuments = map[string]string{
	"/draft2020-12/integer.json":    `{"type": "integer"}`,
	"/draft2020-12/subSchemas.json": `{"$defs": {"integer": {"type": "integer"}, "refToInteger": {"$ref": "#/$defs/integer"}}}`,
	"/draft2020-12/locationIndependentIdentifier.json": `{"$defs": {
		"refToInteger": {"$ref": "#foo"}, "target": {"$anchor": "foo", "type": "integer"}}}`,
	"/draft2020-12/baseUriChange/folderInteger.json":                  `{"type": "integer"}`,
	"/draft2020-12/baseUriChangeFolder/folderInteger.json":            `{"type": "integer"}`,
	"/draft2020-12/baseUriChangeFolderInSubschema/folderInteger.json": `{"type": "integer"}`,
	"/draft2020-12/name-defs.json": `{"type": "string", "$defs": {
		"orNull": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}}`,
	"/draft2020-12/ref-and-defs.json": `{"$id": "BASE/draft2020-12/ref-and-defs.json", "$ref": "#/$defs/inner",
		"$defs": {"inner": {"properties": {"bar": {"type": "string"}}}}}`,
	"/draft2020-12/nested/foo-ref-string.json":   `{"type": "object", "properties": {"foo": {"$ref": "string.json"}}}`,
	"/draft2020-12/nested/string.json":           `{"type": "string"}`,
	"/draft2020-12/different-id-ref-string.json": `{"$id": "BASE/elsewhere.json", "$ref": "#/$defs/text", "$defs": {"text": {"type": "string"}}}`,
	"/draft2020-12/urn-ref-string.json":          `{"$id": "urn:uuid:0fd5a2b4-0000-4000-8000-000000000000", "$ref": "#/$defs/text", "$defs": {"text": {"type": "string"}}}`,
	"/draft2020-12/nested-absolute-ref-to-string.json": `{"$ref": "BASE/inner-id.json", "$defs": {
		"text": {"$id": "BASE/inner-id.json", "type": "string"}}}`,
	"/draft2020-12/detached-ref.json": `{"$id": "BASE/draft2020-12/detached-ref.json", "$defs": {
		"foo": {"$ref": "#detached"}, "other": {"$anchor": "detached", "type": "integer"}}}`,
	"/draft2020-12/detached-dynamicref.json": `{"$id": "BASE/draft2020-12/detached-dynamicref.json", "$defs": {
		"foo": {"$dynamicRef": "#detached"}, "other": {"$dynamicAnchor": "detached", "type": "integer"}}}`,
	"/draft2020-12/tree.json": `{"$id": "BASE/draft2020-12/tree.json", "$dynamicAnchor": "node", "type": "object", "properties": {
		"data": true, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}}}`,
	"/draft2020-12/extendible-dynamic-ref.json": `{"$id": "BASE/draft2020-12/extendible-dynamic-ref.json", "type": "object",
		"properties": {"elements": {"type": "array", "items": {"$dynamicRef": "#elements"}}},
		"required": ["elements"], "additionalProperties": false, "$defs": {"any": {"$dynamicAnchor": "elements"}}}`,
	"/draft2019-09/ignore-prefixItems.json": `{"$schema": "https://json-schema.org/draft/2019-09/schema",
		"type": "array", "prefixItems": [{"type": "string"}]}`,
	// A part of the metaschema, as far as the tests look at it.
	"/draft2020-12/schema": `{"$id": "BASE/draft2020-12/schema", "$dynamicAnchor": "meta", "type": ["object", "boolean"], "properties": {
		"$defs": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}},
		"type": {"type": ["string", "array"]}, "minLength": {"type": "integer", "minimum": 0}}}`,
}

// serveRemotes serves the remote documents and has the groups refer to them there.
func serveRemotes(t *testing.T, groups []*suiteGroup) {
	t.Helper()
	var base string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := remoteDocuments[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/schema+json")
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "BASE", base))
	}))
	t.Cleanup(server.Close)
	base = server.URL
	for _, g := range groups {
		g.Schema = bytes.ReplaceAll(g.Schema, []byte("http://localhost:1234"), []byte(base))
		for _, space := range []string{"", " "} {
			ref := `"$ref":` + space + `"`
			g.Schema = bytes.ReplaceAll(g.Schema, []byte(ref+`https://json-schema.org/draft/2020-12/schema"`), []byte(ref+base+`/draft2020-12/schema"`))
		}
	}
}
