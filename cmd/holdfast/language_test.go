package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLanguage(t *testing.T) {
	dir := t.TempDir()
	holdfast(t, dir, "language").want(t, 0, "x-resilience version 1\n", "")
	for name, title := range map[string]string{
		"schema": "x-resilience 1", "openapi": "OpenAPI with x-resilience", "overlay": "Overlay with x-resilience",
	} {
		var schema struct {
			Schema string `json:"$schema"`
			Title  string `json:"title"`
		}
		r := holdfast(t, dir, "language", name)
		if err := json.Unmarshal([]byte(r.stdout), &schema); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if schema.Title != title || schema.Schema != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: %+v", name, schema)
		}
	}
	if r := holdfast(t, dir, "language", "reference"); !strings.HasPrefix(r.stdout, "# x-resilience, version 1\n") {
		t.Errorf("the reference begins with %.50q", r.stdout)
	}
	for _, args := range [][]string{{"language", "openapis"}, {"language", "schema", "overlay"}} {
		holdfast(t, dir, args...).want(t, 2, "", "name one of schema, openapi, overlay, reference, or nothing for the version")
	}
}
