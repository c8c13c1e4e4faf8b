package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/gen"
)

const languageHelp = `Language prints what this holdfast has about the x-resilience extension. Without
an argument it names the version of the language that it reads. Otherwise it
prints a file:

    schema     the JSON Schema of x-resilience by itself
    openapi    the JSON Schema of OpenAPI documents with x-resilience, for editors
    overlay    the JSON Schema of overlays with x-resilience, for editors
    reference  the reference of the language, in Markdown

To have completion and checks in an editor, write the schema next to the document
and name it in the document's first line:

    holdfast language openapi > openapi-x-resilience.schema.json

    # yaml-language-server: $schema=./openapi-x-resilience.schema.json`

func (a *app) languageCommand() *command {
	names := gen.LanguageFiles
	return &command{
		name:    "language",
		args:    "[" + strings.Join(names, "|") + "]",
		summary: "print the schemas and the reference of x-resilience",
		help:    languageHelp,
		flags:   newFlags("language"),
		words:   names,
		run: func(_ context.Context, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintf(a.stdout, "x-resilience version %d\n", gen.LanguageVersion)
				return err
			}
			if len(args) == 1 {
				if text := gen.LanguageFile(args[0]); text != nil {
					_, err := a.stdout.Write(text)
					return err
				}
			}
			return usagef("name one of %s, or nothing for the version", strings.Join(names, ", "))
		},
	}
}
