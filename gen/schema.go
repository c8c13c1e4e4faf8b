package gen

import (
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/templates"
)

// SQLDialects are the databases that [SQLSchema] knows.
func SQLDialects() []string { return []string{"postgres", "sqlite"} }

// SQLSchema returns the statements that make the tables of the runtime's SQL stores, with
// how to use them in comments.
func SQLSchema(dialect string) ([]byte, error) {
	for _, known := range SQLDialects() {
		if dialect == known {
			return templates.Files.ReadFile("schema_" + known + ".sql.tmpl")
		}
	}
	return nil, fmt.Errorf("there are no tables for %q: there are some for %s", dialect, strings.Join(SQLDialects(), " and "))
}
