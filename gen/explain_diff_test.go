package gen_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// shopFolder is a folder with a copy of the document of testdata/explain, which is
// the current one.
func shopFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"shop.yaml", "parts.yaml", "shop.overlay.yaml"} {
		data, err := os.ReadFile(filepath.Join(explainFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// change replaces text in a file that must have it.
func change(t *testing.T, file, old, now string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s has no %q", file, old)
	}
	write(t, file, strings.ReplaceAll(string(data), old, now))
}

func commit(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		runGit(t, args...)
	}
}

func runGit(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)
	if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// diffed compares two versions and returns what changed of each operation, as
// "side path old -> new" and "=> name old -> new".
func diffed(t *testing.T, old *gen.Explanation, cfg gen.Config) (*gen.ExplainDiff, map[string][]string) {
	t.Helper()
	now, err := gen.Explain(t.Context(), cfg)
	if err != nil {
		t.Fatal(err, now.Diagnostics)
	}
	d, err := gen.CompareExplanations(old, now, gen.ExplainSelection{})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, c := range d.Changed {
		key := strings.TrimRight(c.ID+" "+c.Profile+" "+c.Variant, " ")
		for _, f := range c.Fields {
			lines[key] = append(lines[key], f.Side+" "+f.Path+" "+f.Old+" -> "+f.New)
		}
		for _, x := range c.Consequences {
			lines[key] = append(lines[key], "=> "+x.Name+" "+x.Old+" -> "+x.New)
		}
	}
	return d, lines
}

func wantLines(t *testing.T, lines map[string][]string, key string, want ...string) {
	t.Helper()
	if got := strings.Join(lines[key], "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant:\n%s", key, got, strings.Join(want, "\n"))
	}
}

// A revision is read as it was: the document, its overlay and the file that it
// refers to, all of which have changed since, or are gone.
func TestExplainRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is needed to test what reads from it")
	}
	shopFolder(t)
	runGit(t, "init", "-q")
	commit(t)
	runGit(t, "tag", "v1")
	change(t, "shop.yaml", "timeout: {attempt: 2s, total: 9s}", "timeout: {attempt: 10s, total: 34s}")
	change(t, "shop.yaml", "parts.yaml", "pieces.yaml")
	change(t, "shop.overlay.yaml", "delay: 50ms, max: 1", "delay: 50ms, max: 2")
	if err := os.Rename("parts.yaml", "pieces.yaml"); err != nil {
		t.Fatal(err)
	}
	old, err := gen.ExplainRevision(t.Context(), shopConfig(true), "v1")
	if err != nil {
		t.Fatal(err, old.Diagnostics)
	}
	d, lines := diffed(t, old, shopConfig(true))
	if d.Old != "v1:shop.yaml" || d.New != "shop.yaml" || d.Compared != 5 || d.Empty() {
		t.Errorf("%+v", d)
	}
	// 2 + 0.5 + 2, and 10 + 0.5 + 10
	wantLines(t, lines, "listOrders",
		"client timeout.attempt 2s -> 10s", "client timeout.total 9s -> 34s",
		"=> worst-case total 9s -> 34s", "=> end when it hangs 4.5s -> 20.5s")
	// The total less 2s for the mirror; 2 x (1+1), and 2 x (1+2).
	wantLines(t, lines, "search",
		"client timeout.attempt 2s -> 10s", "client timeout.total 9s -> 34s", "client hedge.max 1 -> 2",
		"=> worst-case total 9s -> 34s", "=> end when it hangs 4.5s -> 20.5s", "=> requests a call when all fail 4 -> 6")
	// Under prod, whose timeout has not changed, there is the hedge alone.
	wantLines(t, lines, "search prod", "client hedge.max 1 -> 2", "=> requests a call when all fail 4 -> 6")
	if _, ok := lines["listOrders prod"]; ok {
		t.Error("nothing changed there")
	}
	for _, tt := range []struct{ revision, want string }{
		{"v2", "diff: v2 is neither a file nor a revision that git knows"},
		{"--help", "diff: --help is neither a file nor a revision"},
		{"-n1", "diff: -n1 is neither a file nor a revision"},
		{"v2:shop.yaml", "diff: v2:shop.yaml is neither a file nor a revision that git knows"},
		{":shop.yaml", "diff: :shop.yaml is neither a file nor a revision that git knows"},
		{"v1:../shop.yaml", "diff: v1:../shop.yaml: want the path of a document within the repository behind the colon"},
	} {
		_, err := gen.ExplainRevision(t.Context(), shopConfig(true), tt.revision)
		var bad *gen.ConfigError
		if !errors.As(err, &bad) || err.Error() != tt.want {
			t.Errorf("%s: %v", tt.revision, err)
		}
	}
	// A document that the revision has not is an error of the document.
	write(t, "later.yaml", "openapi: 3.1.0\ninfo: {title: L, version: '1'}\npaths: {}\n")
	if e, err := gen.ExplainRevision(t.Context(), gen.Config{Spec: "later.yaml"}, "v1"); !errors.Is(err, gen.ErrDocument) || !strings.Contains(e.Diagnostics[0].Message, "no such file") ||
		!strings.Contains(e.Diagnostics[0].Hint, "v1:old/name.yaml") {
		t.Errorf("%v, %+v", err, e.Diagnostics)
	}
}

func TestExplainRevisionWithoutRepository(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(shopFolder(t)))
	_, err := gen.ExplainRevision(t.Context(), shopConfig(false), "HEAD")
	if err == nil || !strings.Contains(err.Error(), "is in no git repository") {
		t.Error(err)
	}
	_, err = gen.ExplainRevision(t.Context(), gen.Config{Spec: "https://example.com/a.yaml", AllowRemote: true}, "HEAD")
	if err == nil || !strings.Contains(err.Error(), "has no revisions") {
		t.Error(err)
	}
}

// Operations come and go, move to another path, and gain and lose variants and
// profiles.
func TestExplainDiff(t *testing.T) {
	shopFolder(t)
	old, err := gen.Explain(t.Context(), shopConfig(false))
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := diffed(t, old, shopConfig(false)); !d.Empty() || d.Compared != 5 {
		t.Errorf("a document and itself: %+v", d)
	}
	// Written otherwise, and the same.
	change(t, "shop.yaml", "attempt: 2s, total: 9s", "total: 9000ms, attempt: 2000ms")
	if d, _ := diffed(t, old, shopConfig(false)); !d.Empty() {
		t.Errorf("the same in other words: %+v", d.Changed)
	}
	change(t, "shop.yaml", "  /orders/{id}:\n", "  /orders/by-id/{id}:\n")
	change(t, "shop.yaml", "    prod:\n", "    live:\n")
	change(t, "shop.yaml", "  /mails:\n", "  /letters:\n")
	change(t, "shop.yaml", "operationId: sendMail", "operationId: sendLetter")
	change(t, "shop.yaml", "          slow:", "          exact:")
	change(t, "shop.yaml", "        breaker: {scope: operation, failureThreshold: 3, recovery: 5s}", "        breaker: false")
	d, lines := diffed(t, old, shopConfig(false))
	for _, tt := range []struct{ what, got, want string }{
		{"added", strings.Join(d.Added, ", "), "POST /letters (sendLetter)"},
		{"removed", strings.Join(d.Removed, ", "), "POST /mails (sendMail)"},
		{"profiles added", strings.Join(d.ProfilesAdded, ", "), "live"},
		{"profiles removed", strings.Join(d.ProfilesRemoved, ", "), "prod"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", tt.what, tt.got, tt.want)
		}
	}
	if _, ok := lines["getOrder"]; ok || d.Compared != 4 {
		t.Errorf("an operation that moved behaves the same: %v, %d compared", lines["getOrder"], d.Compared)
	}
	if got := strings.Join(lines["createOrder"], "\n"); !strings.Contains(got, "-> off") ||
		!strings.Contains(got, "=> failed calls until the breaker opens 3 -> never opens") {
		t.Errorf("the breaker is off:\n%s", got)
	}
	// Who asked for the variant slow gets the policy itself now: 2 x 2s + 0.5s.
	wantLines(t, lines, "search  slow", "client timeout.attempt 8s -> 2000ms", "client timeout.total 30s -> 9000ms",
		"=> worst-case total 30s -> 9s", "=> end when it hangs 16.5s -> 4.5s")
	if got := strings.Join(lines["listOrders live"], "\n"); !strings.Contains(got, "=> worst-case total 9s -> 4s") {
		t.Errorf("a profile that is new was none before:\n%s", got)
	}
	_, err = gen.CompareExplanations(old, old, gen.ExplainSelection{Profile: "live"})
	if err == nil || !strings.Contains(err.Error(), "there is no profile live") {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := d.WriteText(&b, gen.ExplainTextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"shop.yaml -> shop.yaml\n", "operations added: POST /letters (sendLetter)\n", "=> worst-case total                 30s -> 9s\n",
		"variant slow", "profile live",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := d.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"added", "changed", "changed.consequences", "changed.consequences.name", "changed.consequences.new", "changed.consequences.newValue",
		"changed.consequences.old", "changed.consequences.oldValue", "changed.consequences.unit", "changed.fields", "changed.fields.new",
		"changed.fields.newSource", "changed.fields.old", "changed.fields.oldSource", "changed.fields.path", "changed.fields.side", "changed.id",
		"changed.name", "changed.profile", "changed.variant", "compared", "new", "old", "profilesAdded", "profilesRemoved", "removed", "version",
	} {
		if members := membersOf(t, b.Bytes()); !strings.Contains("\n"+strings.Join(members, "\n")+"\n", "\n"+want+"\n") {
			t.Errorf("no member %s", want)
		}
	}
}
