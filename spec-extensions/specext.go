// Package specext holds the x-resilience extension of OpenAPI documents as data:
// its JSON Schema, its presets and the defaults of its fields.
//
// The numbers stand in presets/*.yaml and nowhere else, written in the language
// itself, so that the generator reads them with the reader that it has for users'
// documents. This package hands out the files, and the same decoded for
// documentation and tests.
package specext

import (
	"embed"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed presets/*.yaml
var files embed.FS

// Version is the version of the language that this holdfast reads. Within one version
// the language only grows; the reference says what that means.
const Version = 1

//go:embed *.schema.json README.md
var written embed.FS

// Schema is the JSON Schema (2020-12) of the extension's version 1: a root
// object by itself, and policies of path items and operations at $defs/level.
// The caller may change the copy.
func Schema() []byte { return read("x-resilience.schema.json") }

// OpenAPISchema is the JSON Schema (2020-12) of an OpenAPI document as far as
// x-resilience goes: where it may stand and what may stand there. It holds all of
// [Schema], so that an editor needs no other file. The caller may change the copy.
func OpenAPISchema() []byte { return read("openapi-x-resilience.schema.json") }

// OverlaySchema is [OpenAPISchema] for overlays. The caller may change the copy.
func OverlaySchema() []byte { return read("overlay-x-resilience.schema.json") }

// Reference is the reference of the language, in Markdown. The caller may change the
// copy.
func Reference() []byte { return read("README.md") }

// read is a file that is part of the build, so that it is there.
func read(name string) []byte {
	data, err := written.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return data
}

// The primitives that have presets of their own, by the name that the language
// gives them, and their files.
var presetFiles = map[string]string{
	"retry": "retry", "breaker": "breaker", "bulkhead": "bulkhead", "rateLimit": "rate-limit", "timeout": "timeout",
	"cache": "cache", "fallback": "fallback",
}

// Files names the files of presets: those of the primitives by the primitive,
// "default" for the policy of an operation without annotations, and "fields" for
// the defaults of fields.
func Files() map[string]string {
	names := map[string]string{"default": "presets/default.yaml", "fields": "presets/fields.yaml"}
	for primitive, file := range presetFiles {
		names[primitive] = "presets/" + file + ".yaml"
	}
	return names
}

// Source is the text of one of [Files], by its path.
func Source(path string) ([]byte, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("specext: %w", err)
	}
	return data, nil
}

// Set is everything decoded, each value as YAML has it.
type Set struct {
	// Default is the policy of an operation without annotations.
	Default map[string]any
	// Fields are the defaults of fields, by primitive.
	Fields map[string]map[string]any
	// Presets are by primitive.
	Presets map[string]Presets
}

// Presets are those of one primitive.
type Presets struct {
	// Default is the name of the one that stands where none is named; empty for
	// the bulkhead, which starts from the built-in policy's.
	Default string                    `yaml:"default"`
	Presets map[string]map[string]any `yaml:"presets"`
}

// Load decodes the files. The error is a fault of the build, not of a user.
func Load() (*Set, error) {
	set := &Set{Presets: map[string]Presets{}}
	for name, path := range Files() {
		var err error
		switch name {
		case "default":
			err = decode(path, &set.Default)
		case "fields":
			err = decode(path, &set.Fields)
		default:
			var p Presets
			err = decode(path, &p)
			set.Presets[name] = p
		}
		if err != nil {
			return nil, err
		}
	}
	return set, nil
}

func decode(path string, into any) error {
	data, err := Source(path)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("specext: %s: %w", path, err)
	}
	return nil
}
