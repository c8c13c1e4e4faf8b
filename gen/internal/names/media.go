package names

import (
	"strconv"
	"strings"
)

// Status is the word for the key of a response: OK, NotFound, 4XX, Default. A code
// that has no name is Status and its number.
func Status(key string) string {
	switch strings.ToLower(key) {
	case "default":
		return "Default"
	case "1xx", "2xx", "3xx", "4xx", "5xx":
		return strings.ToUpper(key)
	}
	if code, err := strconv.Atoi(key); err == nil {
		if text := reasons[code]; text != "" {
			return camel(strings.ReplaceAll(text, "'", ""))
		}
	}
	return "Status" + camel(key)
}

// Media is the word for a media type: JSON, CSV, Text, ImagePng. What the type and
// the tree of vendors say is left out, parameters are kept.
func Media(mediaType string) string {
	full, params, _ := strings.Cut(strings.ToLower(mediaType), ";")
	kind, sub, _ := strings.Cut(strings.TrimSpace(full), "/")
	var word string
	switch {
	case full == "*/*":
		word = "Any"
	case sub == "plain" && kind == "text":
		word = "Text"
	case sub == "octet-stream":
		word = "Binary"
	case sub == "x-www-form-urlencoded", sub == "form-data":
		word = "Form"
	case sub == "event-stream":
		word = "Events"
	case sub == "*":
		word = camel(kind)
	default:
		for _, tree := range []string{"vnd.", "x-", "prs."} {
			sub = strings.TrimPrefix(sub, tree)
		}
		word = camel(strings.ReplaceAll(sub, "+", "."))
		if kind != "application" && kind != "text" {
			word = camel(kind) + word
		}
	}
	words := []string{word}
	for param := range strings.SplitSeq(params, ";") {
		if name, value, ok := strings.Cut(param, "="); ok && strings.TrimSpace(name) != "charset" {
			words = append(words, camel(name), camel(strings.Trim(value, `" `)))
		}
	}
	return strings.Join(words, "")
}
