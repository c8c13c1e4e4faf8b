package main

import (
	"context"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen"
)

const schemaHelp = `Schema prints the tables that servers share what they know in: idempotency keys
with their results, and locks. Apply them with the client of your database, or put
them into a migration; applied again they change nothing.

    holdfast schema --dialect postgres | psql "$DATABASE_URL"
    holdfast schema --dialect sqlite | sqlite3 shop.db

The comments in the output tell how a server is given them, and how a method has its
effect in the transaction of its idempotency key.`

func (a *app) schemaCommand() *command {
	fs := newFlags("schema")
	dialect := fs.String("dialect", "", "the `NAME` of the database: "+strings.Join(gen.SQLDialects(), " or "))
	annotate(fs, "dialect", completesWith, gen.SQLDialects()...)
	return &command{
		name:    "schema",
		summary: "print the tables for state in SQL",
		help:    schemaHelp,
		flags:   fs,
		run: func(_ context.Context, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			return a.schema(*dialect)
		},
	}
}

func (a *app) schema(dialect string) error {
	if !slices.Contains(gen.SQLDialects(), dialect) {
		e := usagef("--dialect cannot be %q: it is %s", dialect, strings.Join(gen.SQLDialects(), " or "))
		if dialect == "" {
			e = usagef("name the database: --dialect %s", strings.Join(gen.SQLDialects(), " or --dialect "))
		}
		if near, ok := gen.Nearest(dialect, gen.SQLDialects()); ok && dialect != "" {
			e.hint = "Did you mean --dialect " + near + "?"
		}
		return e
	}
	text, err := gen.SQLSchema(dialect)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(text)
	return err
}
