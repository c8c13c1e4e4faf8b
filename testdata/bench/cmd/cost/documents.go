package main

import (
	"encoding/json"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// methods are the members of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// countOperations counts those of a document, JSON or YAML; 0 where it cannot be read.
func countOperations(file string) (n int) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	var document struct {
		Paths    map[string]map[string]yaml.Node `yaml:"paths"`
		Webhooks map[string]map[string]yaml.Node `yaml:"webhooks"`
	}
	if yaml.Unmarshal(text, &document) != nil {
		return 0
	}
	for _, items := range []map[string]map[string]yaml.Node{document.Paths, document.Webhooks} {
		for _, item := range items {
			for _, m := range methods {
				if _, ok := item[m]; ok {
					n++
				}
			}
		}
	}
	return n
}

// writeSynthetic writes a document of n operations on n/5 resources, each with a schema
// of its own.
func writeSynthetic(file string, n int) error {
	paths, schemas := map[string]any{}, map[string]any{}
	for i := range n / 5 {
		name := fmt.Sprintf("Thing%05d", i)
		schemas[name] = map[string]any{
			"type": "object", "required": []string{"id", "name"},
			"properties": map[string]any{
				"id":      map[string]any{"type": "string", "format": "uuid"},
				"name":    map[string]any{"type": "string", "minLength": 1, "maxLength": 80},
				"count":   map[string]any{"type": "integer", "format": "int32", "minimum": 0},
				"created": map[string]any{"type": "string", "format": "date-time"},
				"parts":   map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			},
		}
		ref := map[string]any{"$ref": "#/components/schemas/" + name}
		content := map[string]any{"application/json": map[string]any{"schema": ref}}
		answer := map[string]any{"description": "the thing", "content": content}
		id := []any{map[string]any{"name": "id", "in": "path", "required": true, "schema": map[string]any{"type": "string"}}}
		operation := func(verb string, more map[string]any) map[string]any {
			o := map[string]any{"operationId": verb + name, "responses": map[string]any{"200": answer}}
			for k, v := range more {
				o[k] = v
			}
			return o
		}
		body := map[string]any{"requestBody": map[string]any{"required": true, "content": content}}
		list := map[string]any{"description": "things", "content": map[string]any{
			"application/json": map[string]any{"schema": map[string]any{"type": "array", "items": ref}},
		}}
		paths[fmt.Sprintf("/things-%05d", i)] = map[string]any{
			"get":  operation("list", map[string]any{"responses": map[string]any{"200": list}}),
			"post": operation("make", body),
		}
		paths[fmt.Sprintf("/things-%05d/{id}", i)] = map[string]any{
			"parameters": id, "get": operation("get", nil), "put": operation("put", body), "delete": operation("delete", nil),
		}
	}
	text, err := json.Marshal(map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "Things", "version": "1"},
		"paths": paths, "components": map[string]any{"schemas": schemas},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}
