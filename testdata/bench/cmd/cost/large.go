package main

import (
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A document of the size of Plaid's, which is among the largest that clients are
// generated from: 329 operations, all of them a POST of a schema that answers with
// another, and about five schemas of a dozen described members for each, in YAML.
const (
	largeName       = "synthetic_plaid"
	largeOperations = 329
)

type object = map[string]any

func writeLarge(file string) error {
	paths, schemas := object{}, object{"Error": problemSchema()}
	for i := range largeOperations {
		name := fmt.Sprintf("Account%03d", i)
		ref := func(part string) object { return object{"$ref": "#/components/schemas/" + name + part} }
		schemas[name+"Status"] = object{
			"type": "string", "description": prose(i, 1), "enum": []string{"pending", "posted", "returned", "failed", "cancelled"},
		}
		schemas[name+"Balance"] = members(i, 6, object{"status": ref("Status")})
		schemas[name+"Owner"] = members(i+1, 10, object{"balance": ref("Balance")})
		schemas[name+"Item"] = members(i+2, 11, object{"owner": ref("Owner"), "owners": object{"type": "array", "items": ref("Owner")}})
		schemas[name+"Request"] = members(i+3, 8, object{"options": ref("Item"), "status": ref("Status")})
		schemas[name+"Response"] = members(i+4, 5, object{"items": object{"type": "array", "items": ref("Item"), "minItems": 1}, "balance": ref("Balance")})
		paths[fmt.Sprintf("/accounts/%03d/get", i)] = object{"post": object{
			"operationId": "get" + name, "summary": "Retrieve accounts " + name, "description": prose(i, 4),
			"tags":        []string{fmt.Sprintf("group%02d", i%20)},
			"requestBody": object{"required": true, "content": inJSON(ref("Request"))},
			"responses": object{
				"200":     object{"description": prose(i, 1), "content": inJSON(ref("Response"))},
				"default": object{"description": "an error", "content": inJSON(object{"$ref": "#/components/schemas/Error"})},
			},
		}}
	}
	text, err := yaml.Marshal(object{
		"openapi": "3.0.3", "info": object{"title": "Accounts", "version": "1"},
		"paths": paths, "components": object{"schemas": schemas},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func inJSON(schema object) object { return object{"application/json": object{"schema": schema}} }

func problemSchema() object {
	return object{"type": "object", "required": []string{"error_code"}, "properties": object{
		"error_code": object{"type": "string"}, "error_message": object{"type": "string"}, "request_id": object{"type": "string"},
	}}
}

// members is an object with n members of its own, of the types that such documents have,
// and some more.
func members(seed, n int, more object) object {
	properties := object{}
	var required []string
	kinds := []object{
		{"type": "string"},
		{"type": "number", "format": "double"},
		{"type": "string", "format": "date", "nullable": true},
		{"type": "boolean"},
		{"type": "integer", "minimum": 0, "maximum": 100000},
		{"type": "string", "minLength": 1, "maxLength": 200},
		{"type": "array", "items": object{"type": "string"}},
		{"type": "string", "format": "date-time"},
		{"type": "string", "nullable": true, "enum": []any{"checking", "savings", "other", nil}},
	}
	for i := range n {
		name := fmt.Sprintf("member_%c_%d", 'a'+(seed+i)%26, i)
		property := object{"description": prose(seed+i, 1)}
		for k, v := range kinds[(seed+i)%len(kinds)] {
			property[k] = v
		}
		properties[name] = property
		if i%3 != 0 {
			required = append(required, name)
		}
	}
	for name, schema := range more {
		properties[name] = schema
	}
	return object{"type": "object", "description": prose(seed, 2), "required": required, "properties": properties}
}

// prose is a description of so many sentences.
func prose(seed, sentences int) string {
	list := []string{
		"The unique identifier of the institution that holds the account, as it was given when the item was made.",
		"A value in the unit of the currency; null where the institution does not report one.",
		"Whether more data can be had by asking again with the `cursor` of the last answer.",
		"Dates are returned in the form of ISO 8601: `YYYY-MM-DD`.",
		"This field is kept for old clients and will not be filled in the future.",
	}
	var b strings.Builder
	for i := range sentences {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(list[(seed+i)%len(list)])
	}
	return b.String()
}
