package lower

import "github.com/holdfast-go/holdfast/gen/internal/load"

// object is a kind of OpenAPI object, as messages name it.
type object string

// The objects of a document other than schemas.
const (
	documentObject       object = "OpenAPI document"
	infoObject           object = "info"
	contactObject        object = "contact"
	licenseObject        object = "license"
	serverObject         object = "server"
	serverVariableObject object = "server variable"
	componentsObject     object = "components"
	pathItemObject       object = "path item"
	operationObject      object = "operation"
	externalDocsObject   object = "external documentation"
	parameterObject      object = "parameter"
	requestBodyObject    object = "request body"
	mediaTypeObject      object = "media type"
	encodingObject       object = "encoding"
	responseObject       object = "response"
	callbackObject       object = "callback"
	exampleObject        object = "example"
	linkObject           object = "link"
	headerObject         object = "header"
	tagObject            object = "tag"
	schemaObject         object = "schema"
	securitySchemeObject object = "security scheme"
	flowsObject          object = "OAuth flows"
	flowObject           object = "OAuth flow"
)

// field is one fixed field of an object.
type field struct {
	name  string
	since load.Version // zero: every version
	// cosmetic fields change no byte on the wire, at most a name. A
	// misspelled cosmetic field is reported and ignored; a misspelled field of
	// another kind would silently change what is generated, so it is an error.
	cosmetic bool
}

func plain(names ...string) []field    { return fieldList(0, false, names) }
func cosmetic(names ...string) []field { return fieldList(0, true, names) }
func since31(names ...string) []field  { return fieldList(load.V31, false, names) }
func since32(names ...string) []field  { return fieldList(load.V32, false, names) }
func prose31(names ...string) []field  { return fieldList(load.V31, true, names) }
func prose32(names ...string) []field  { return fieldList(load.V32, true, names) }

func fieldList(since load.Version, cosmetic bool, names []string) []field {
	out := make([]field, len(names))
	for i, name := range names {
		out[i] = field{name: name, since: since, cosmetic: cosmetic}
	}
	return out
}

func join(lists ...[]field) []field {
	var out []field
	for _, list := range lists {
		out = append(out, list...)
	}
	return out
}

// objectFields are the fixed fields of OpenAPI 3.0, 3.1 and 3.2. Objects whose
// keys are free (paths, responses, callbacks, scopes) are not here.
var objectFields = map[object][]field{
	documentObject: join(plain("openapi", "servers", "paths", "components", "security"),
		cosmetic("info", "tags", "externalDocs"),
		since31("webhooks"), prose31("jsonSchemaDialect"), since32("$self")),
	infoObject: join(cosmetic("title", "description", "termsOfService", "contact", "license", "version"),
		prose31("summary")),
	contactObject:        cosmetic("name", "url", "email"),
	licenseObject:        join(cosmetic("name", "url"), prose31("identifier")),
	serverObject:         join(plain("url", "variables"), cosmetic("description"), prose32("name")),
	serverVariableObject: join(plain("enum", "default"), cosmetic("description")),
	componentsObject: join(plain("schemas", "responses", "parameters", "requestBodies", "headers",
		"securitySchemes", "callbacks"), cosmetic("examples", "links"),
		since31("pathItems"), since32("mediaTypes")),
	pathItemObject: join(plain("$ref", "get", "put", "post", "delete", "options", "head", "patch", "trace",
		"servers", "parameters"), cosmetic("summary", "description"),
		since32("query", "additionalOperations")),
	operationObject: join(plain("parameters", "requestBody", "responses", "callbacks", "security", "servers"),
		cosmetic("operationId", "tags", "summary", "description", "externalDocs", "deprecated")),
	externalDocsObject: cosmetic("description", "url"),
	parameterObject: join(plain("name", "in", "required", "allowEmptyValue", "style", "explode", "allowReserved",
		"schema", "content"), cosmetic("description", "deprecated", "example", "examples")),
	headerObject: join(plain("required", "style", "explode", "schema", "content"),
		cosmetic("description", "deprecated", "example", "examples", "allowEmptyValue", "allowReserved")),
	requestBodyObject: join(plain("content", "required"), cosmetic("description")),
	mediaTypeObject: join(plain("schema", "encoding"), cosmetic("example", "examples"),
		since32("itemSchema", "prefixEncoding", "itemEncoding")),
	encodingObject: join(plain("contentType", "headers", "style", "explode", "allowReserved"),
		since32("encoding", "prefixEncoding", "itemEncoding")),
	responseObject: join(plain("headers", "content"), cosmetic("description", "links"), prose32("summary")),
	exampleObject: join(cosmetic("summary", "description", "value", "externalValue"),
		prose32("dataValue", "serializedValue")),
	linkObject: cosmetic("operationRef", "operationId", "parameters", "requestBody", "description", "server"),
	tagObject:  join(cosmetic("name", "description", "externalDocs"), prose32("summary", "parent", "kind")),
	securitySchemeObject: join(plain("type", "name", "in", "scheme", "flows", "openIdConnectUrl"),
		cosmetic("description", "bearerFormat"), prose32("oauth2MetadataUrl", "deprecated")),
	flowsObject: join(plain("implicit", "password", "clientCredentials", "authorizationCode"),
		since32("deviceAuthorization")),
	flowObject: join(plain("authorizationUrl", "tokenUrl", "scopes"), cosmetic("refreshUrl"),
		prose32("deviceAuthorizationUrl")),
}

// sections are the members of the Components Object and what each holds.
var sections = map[string]object{
	"schemas": schemaObject, "responses": responseObject, "parameters": parameterObject,
	"examples": exampleObject, "requestBodies": requestBodyObject, "headers": headerObject,
	"securitySchemes": securitySchemeObject, "links": linkObject, "callbacks": callbackObject,
	"pathItems": pathItemObject, "mediaTypes": mediaTypeObject,
}

// article returns the object with its indefinite article: "an example".
func (o object) article() string {
	switch o[0] {
	case 'a', 'e', 'i', 'o', 'u', 'O':
		return "an " + string(o)
	default:
		return "a " + string(o)
	}
}

// goExtensions are the x-go-* extensions that have a meaning on the object.
func (o object) goExtensions() []string {
	switch o {
	case operationObject, parameterObject, headerObject, securitySchemeObject:
		return []string{"x-go-name"}
	default:
		return nil
	}
}
