package load

import (
	"regexp"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Version is the version of the OpenAPI Specification that a document follows.
type Version uint8

// The supported versions. They are ordered: v >= V31 is a fair question.
const (
	V30 Version = iota + 1
	V31
	V32
)

// String returns "3.0", "3.1" or "3.2".
func (v Version) String() string {
	switch v {
	case V30:
		return "3.0"
	case V31:
		return "3.1"
	case V32:
		return "3.2"
	default:
		return "unknown"
	}
}

var (
	fullVersion  = regexp.MustCompile(`^3\.[012]\.[0-9]+(-.+)?$`)
	looseVersion = regexp.MustCompile(`^3\.([012])(\.|-|$)`)
)

const supported = "3.0.x, 3.1.x, 3.2.x"

// versionOf reads the field openapi of a root object. The result is 0 when the
// document cannot be read as any supported version; list then has an error.
func versionOf(root *Node, list *diag.List) (Version, string) {
	field := root.Get("openapi")
	if field == nil {
		missingVersion(root, list)
		return 0, ""
	}
	text, _ := field.Written()
	v := parseVersion(text)
	switch {
	case field.Kind == Number:
		// What was meant is clear, so the other faults are worth reporting too.
		list.Error(field.Pos(), "version-type", field.Pointer(),
			`openapi must be a string like "3.0.3", got number %s`, clip(text)).
			Hintf("write the full version in quotes")
		return v, text
	case field.Kind != String:
		list.Error(field.Pos(), "version-type", field.Pointer(),
			`openapi must be a string like "3.0.3", got %s`, field.Kind)
		return 0, text
	case v == 0:
		list.Error(field.Pos(), "version-unsupported", field.Pointer(),
			"openapi %q is not supported (%s)", clip(text), supported)
	case !fullVersion.MatchString(text):
		list.Repair(field.Pos(), "version-form", field.Pointer(),
			`openapi %q is no full version such as "%s.0"; read as %s`, clip(text), v, v)
	}
	return v, text
}

func parseVersion(text string) Version {
	m := looseVersion.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0
	}
	return V30 + Version(m[1][0]-'0')
}

func missingVersion(root *Node, list *diag.List) {
	if old, ok := root.Member("swagger"); ok {
		text, _ := old.Value.Written()
		list.Error(old.Value.Pos(), "version-unsupported", old.Value.Pointer(),
			"Swagger %s is not supported, only OpenAPI (%s)", clip(text), supported).
			Hintf("convert the document to OpenAPI 3 first, for example with swagger2openapi or at converter.swagger.io")
		return
	}
	d := list.Error(root.Pos(), "version-missing", root.Pointer(),
		`the field "openapi" is missing: this is no OpenAPI document`)
	keys := make([]string, 0, len(root.Members))
	for _, m := range root.Members {
		keys = append(keys, m.Key)
	}
	if near, ok := diag.Nearest("openapi", keys); ok {
		d.Hintf("did you mean %q to be \"openapi\"?", clip(near))
	} else {
		d.Hintf(`add a first line such as: openapi: "3.1.0"`)
	}
}
