package hostile

import (
	"bytes"
	"math/rand/v2"
	"strings"
)

// maxGrown is how large a document may become, in bytes.
const maxGrown = 1 << 20

// Mutate returns a document with some changes that seed chooses: the same seed
// makes the same document.
func Mutate(text []byte, seed uint64) []byte {
	//nolint:gosec // not for secrets
	r := rand.New(rand.NewPCG(seed, uint64(len(text))))
	text = bytes.Clone(text)
	alter, times := changeLine, 1+r.IntN(3)
	if seed%4 == 0 { // anywhere: most of these do not parse
		alter, times = change, 1+r.IntN(6)
	}
	for range times {
		text = alter(text, r)
		if len(text) > maxGrown {
			text = text[:maxGrown]
		}
	}
	return text
}

func change(text []byte, r *rand.Rand) []byte {
	if len(text) == 0 {
		return []byte(pick(r, pieces))
	}
	at := r.IntN(len(text))
	switch r.IntN(8) {
	case 0:
		text[at] ^= 1 << r.IntN(8)
		return text
	case 1:
		end := min(at+1+r.IntN(40), len(text))
		return append(text[:at:at], text[end:]...)
	case 2:
		return splice(text, at, pick(r, pieces))
	case 3:
		end := min(at+1+r.IntN(400), len(text))
		return splice(text, r.IntN(len(text)), string(text[at:end]))
	}
	return changeLine(text, r)
}

// changeLine changes a document at the ends of its lines, or of its members where it
// has no lines, so that most of what comes out still parses.
func changeLine(text []byte, r *rand.Rand) []byte {
	if r.IntN(2) == 0 {
		if changed := changeWord(text, r); changed != nil {
			return changed
		}
	}
	end := "\n"
	if bytes.Count(text, []byte("\n")) < 3 {
		end = ","
	}
	lines := strings.Split(string(text), end)
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		lines[i] = lines[j]
	case 1:
		lines[i], lines[j] = lines[j], lines[i]
	case 2:
		lines = append(lines[:i:i], lines[min(i+1+r.IntN(4), len(lines)):]...)
	case 3: // a value of another place
		if key, _, ok := strings.Cut(lines[i], ": "); ok {
			if _, v, ok := strings.Cut(lines[j], ": "); ok {
				lines[i] = key + ": " + v
			}
		}
	case 4: // a key of another place
		if _, v, ok := strings.Cut(lines[i], ": "); ok {
			indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " -{"))]
			lines[i] = indent + pick(r, keys) + ": " + v
		}
	case 5: // a hostile value
		if key, _, ok := strings.Cut(lines[i], ":"); ok {
			lines[i] = key + ": " + pick(r, values)
		}
	}
	return []byte(strings.Join(lines, end))
}

// changeWord puts another word in the place of a value or a key, nil when it did not
// find one. Values are between ": " and what ends them.
func changeWord(text []byte, r *rand.Rand) []byte {
	if len(text) == 0 {
		return nil
	}
	at := r.IntN(len(text))
	start := bytes.Index(text[at:], []byte(": "))
	if start < 0 {
		return nil
	}
	start += at
	if r.IntN(3) == 0 {
		begin := bytes.LastIndexAny(text[:start], " {,\n\"'-") + 1
		return splice(append(text[:begin:begin], text[start:]...), begin, pick(r, keys))
	}
	start += 2
	length := bytes.IndexAny(text[start:], ",}]\n")
	if length < 0 {
		length = len(text) - start
	}
	return splice(append(text[:start:start], text[start+length:]...), start, pick(r, values))
}

func splice(text []byte, at int, piece string) []byte {
	out := make([]byte, 0, len(text)+len(piece))
	out = append(out, text[:at]...)
	out = append(out, piece...)
	return append(out, text[at:]...)
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// pieces go anywhere.
var pieces = []string{
	"\x00", "\xff", "\xef\xbb\xbf", "\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\r\n", "\r", "\u2028", "\u0085", "\t", "\u202e", "😀",
	"&a ", "*a", "&a [*a]", "<<: *a\n", "<<: {a: 1}\n", "? ", ": ", "- ", "[", "]", "{", "}", "---\n", "...\n", "%YAML 1.1\n", "!!binary ",
	"!x ", "|", ">-\n", "'", "\"", "\\u0000", "#", "`", "@", "1e999999999", "-0", "0x1F", ".inf", ".nan", "~", "null", "{}", "[]",
	strings.Repeat("[", 2000), strings.Repeat("{a: ", 2000), strings.Repeat("- ", 2000), strings.Repeat("x", 70_000),
}

// values take the place of others.
var values = []string{
	"1e999999999", "-1e-999999999", "9223372036854775808", "-9223372036854775809", "0.1e1", "true", "null", "''", "[]", "{}", "[[]]", "{a: {}}",
	"'#'", "{$ref: '#'}", "{$ref: '#/'}", "{$ref: '#/paths'}", "{$ref: ''}", "{$ref: 'http://x.invalid/'}", "{$ref: '../../../../etc/passwd'}",
	"{$ref: '#/components/schemas'}", "{$ref: [a]}", "object", "array", "[string, 'null']", "'3.2.0'", "'a/../b'", "'{a}{b}'", "'%zz'", "\"\\0\"",
	"{allOf: [{$ref: '#/components/schemas/Order'}, {not: {}}]}", "{oneOf: [{}, {}], discriminator: {propertyName: ''}}", "\"*/\"",
	"\"`+x+`\"", "'\"; panic(1) //'", "&a {b: *a}", "*a", "2024-01-01", "{'': ''}",
}

// keys are what documents give a meaning to.
var keys = []string{
	"$ref", "$id", "$anchor", "$dynamicRef", "$defs", "allOf", "oneOf", "anyOf", "not", "if", "then", "else", "items", "prefixItems", "contains",
	"properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "dependentSchemas", "required", "enum",
	"const", "type", "format", "default", "discriminator", "mapping", "propertyName", "nullable", "minLength", "maxItems", "multipleOf", "pattern",
	"parameters", "responses", "requestBody", "content", "schema", "examples", "example", "headers", "links", "callbacks", "security", "servers",
	"variables", "url", "tags", "operationId", "in", "name", "style", "explode", "allowReserved", "encoding", "itemSchema", "get", "query", "trace",
	"additionalOperations", "webhooks", "components", "securitySchemes", "x-resilience", "x-go-name", "x-go-type", "x-enum-varnames", "xml", "openapi",
}
