package lint_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
)

var update = flag.Bool("update", false, "write README.md anew")

const readmeHead = `# The rules of holdfast lint

This reference is made from the table in the package catalog; run
` + "`go test ./gen/internal/lint -run Readme -update`" + ` after a change of the table.

Critical findings block a release, major ones are to be mended now, minor ones when there is
time, and info is worth knowing. ` + "`holdfast lint`" + ` shows all of them and fails from major on, or from
what ` + "`--severity`" + ` says on. Rules marked *refused* also end ` + "`holdfast generate`" + `. Those marked
*fixed* are mended by the overlay that ` + "`--fix FILE`" + ` writes. Errors of a document are critical
findings under their own codes, and warnings about annotations and overlays are minor ones.
What ` + "`holdfast generate`" + ` says of the document itself is shown with ` + "`--remarks`" + `: repairs as
minor, the rest for information.

A finding is accepted where it stands, with the reason, in any policy of the language:

` + "```yaml" + `
x-resilience: {waive: {retry-jitter-none: a single caller}}
` + "```" + `

or for a whole target in holdfast.yaml:

` + "```yaml" + `
lint: {severity: minor, waive: {retry-jitter-none: a single caller}}
` + "```" + `

Two collections of advice are sources of many rules: the skill resilience-patterns
(<https://skillmd.com/u/jaykim88>) and the skill distributed-systems
(<https://orchestkit.yonyon.ai/docs/reference/skills/distributed-systems>).

Each rule has a document that it finds something in and one that it does not under
` + "`testdata/lint`" + `.
`

// The reference of the rules is the table.
func TestReadme(t *testing.T) {
	want := readme()
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("README.md is not made from the table (-want +got), see its first lines:\n%s", d)
	}
}

func readme() string {
	var b strings.Builder
	b.WriteString(readmeHead)
	for _, f := range catalog.Families() {
		b.WriteString("\n## " + f.Name + "\n")
		for _, r := range f.Rules {
			marks := r.Severity.String()
			if r.Refused {
				marks += ", refused"
			}
			if r.Fixes {
				marks += ", fixed"
			}
			fmt.Fprintf(&b, "\n### %s\n\n*%s.* %s\n\n- Why: %s\n- Source: %s.\n- Mend: %s\n", r.ID, marks, r.Finds, r.Why, r.Source, r.Mend)
		}
	}
	b.WriteString("\n## Anti-patterns\n\nWhat the two collections of advice warn of, and what finds it.\n\n| anti-pattern | found by | or why a document cannot show it |\n| --- | --- | --- |\n")
	for _, p := range catalog.AntiPatterns() {
		var rules []string
		for _, id := range p.Rules {
			rules = append(rules, "["+id+"](#"+id+")")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Pattern, strings.Join(rules, ", "), p.Why)
	}
	return b.String()
}
