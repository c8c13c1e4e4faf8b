package main

import (
	"strings"
	"testing"
)

func TestSchema(t *testing.T) {
	dir := t.TempDir()
	for dialect, want := range map[string]string{"postgres": "id          bytea", "sqlite": "id          BLOB"} {
		r := holdfast(t, dir, "schema", "--dialect", dialect)
		r.want(t, 0, "CREATE TABLE IF NOT EXISTS holdfast_idempotency", "")
		if !strings.Contains(r.stdout, want) || !strings.Contains(r.stdout, "server.IdempotencyStore") {
			t.Errorf("%s: %s", dialect, r.stdout)
		}
	}
	holdfast(t, dir, "schema").want(t, 2, "", "name the database: --dialect postgres or --dialect sqlite")
	holdfast(t, dir, "schema", "--dialect", "postgre").want(t, 2, "", "Did you mean --dialect postgres?")
	holdfast(t, dir, "schema", "--dialect", "oracle").want(t, 2, "", `--dialect cannot be "oracle": it is postgres or sqlite`)
	holdfast(t, dir, "schema", "x").want(t, 2, "", `unexpected argument "x"`)
}
