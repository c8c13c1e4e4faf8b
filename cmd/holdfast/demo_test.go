package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inOrder reports the first of the texts that does not come after those before it.
func inOrder(text string, want ...string) string {
	for _, w := range want {
		i := strings.Index(text, w)
		if i < 0 {
			return w
		}
		text = text[i+len(w):]
	}
	return ""
}

// stillRunning lists the processes that run a program below dir.
func stillRunning(t *testing.T, dir string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, link := range links {
		if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, dir) {
			found = append(found, program)
		}
	}
	return found
}

// The play of the built-in document shows what each fault does to a call.
func TestDemoOfTheBookingService(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	r := holdfast(t, t.TempDir(), "demo", "--keep", dir)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("status %d\nstdout: %s\nstderr: %s", r.code, r.stdout, r.stderr)
	}
	if missing := inOrder(
		r.stdout,
		"Booking, from the built-in booking service",
		"\n1  Nothing goes wrong", "searchTrips", "200", "createBooking", "201", "health", "204",
		"\n2  The first try is slower than its timeout", "try 1      had no answer within its 250ms", "backoff before try 2", "try 2      answered 200", "200, 2 tries",
		"\n3  The service is busy for a moment", "try 1      answered 503", "try 2      answered 503", "try 3      answered 200", "200, 3 tries",
		"\n4  The service is busy and says when to come back", "wait       1.", "as the server asks (Retry-After)", "200, 2 tries", "answered by the operation itself",
		"\n5  A connection is reset", "try 1      lost its connection", "200, 2 tries",
		"\n6  A write with a key is done, and its answer is lost", "createBooking", "try 1      lost its connection", "try 2      answered 201",
		"the answer is that of the first request", "one effect: sent twice with one key, run by the service once",
		"\n7  A write without a key is done, and its answer is lost", "addReview", "a repeat could take effect twice", "effect     unknown",
		"one effect: sent once, run by the service once",
		"\n8  The service fails until the breaker opens, then it recovers",
		"booking is open", "refused    by the breaker here, nothing was sent", "refused    by the breaker here, nothing was sent",
		"booking is half-open", "booking is closed", "breaker closed",
		"\nSummary", "\nThe code is in "+dir,
	); missing != "" {
		t.Errorf("%q is missing, or comes too early, in\n%s", missing, r.stdout)
	}
	for _, row := range []string{
		`\bcreateBooking +2 +3 +1 +0 +0 +3 +2\n`, // three were sent, two were done
		`\baddReview +2 +2 +0 +1 +0 +2 +2\n`,
		`\bhealth +1 +1 +0 +0 +0 +- +-\n`,
	} {
		if !regexp.MustCompile(row).MatchString(regexp.MustCompile(` +\n`).ReplaceAllString(r.stdout, "\n")) {
			t.Errorf("no line %s in\n%s", row, r.stdout)
		}
	}
	if left := stillRunning(t, dir); left != nil {
		t.Errorf("still running: %q", left)
	}
	vetted(t, dir)
}

// vetted holds the hand-written files of the demo, which are no package of ours, to the
// same tools as all others.
func vetted(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./calls", "./client", "./play", "./server")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	for _, dir := range []string{dir, "../../gen/demo/_program"} {
		if out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("gofmt -l %s: %v\n%s", dir, err, out)
		}
	}
}

// Any other document is played as far as its policies go, and a second play in the same
// folder takes the place of the first.
func TestDemoOfADocument(t *testing.T) {
	spec, err := filepath.Abs("../../testdata/specs/notes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for range 2 {
		r := holdfast(t, dir, "demo", "--spec", spec, "--keep", "kept")
		if r.code != 0 {
			t.Fatalf("status %d\nstdout: %s\nstderr: %s", r.code, r.stdout, r.stderr)
		}
		if missing := inOrder(
			r.stdout,
			"Notes, from "+spec, "Times of the policies are shortened",
			"listNotes", "200", "createNote", "201", "deleteNote", "204",
			"\n6  A write with a key", "left out: no operation of this document",
			"\n7  A write without a key", "createNote", "one effect",
			"notes is open", "notes is half-open", "notes is closed", "\nSummary",
		); missing != "" {
			t.Errorf("%q is missing, or comes too early, in\n%s", missing, r.stdout)
		}
	}
	if left := stillRunning(t, dir); left != nil {
		t.Errorf("still running: %q", left)
	}
}

func TestDemoFaults(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "broken.yaml", "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {parameters: [{$ref: '#/nowhere'}]}}}\n")
	put(t, dir, "full/go.mod", "module mine\n")
	holdfast(t, dir, "demo", "--spec", "broken.yaml", "--keep", "kept").want(t, 1, "", "broken.yaml:3:")
	holdfast(t, dir, "demo", "--spec", "none.yaml", "--keep", "kept").want(t, 1, "", "none.yaml")
	holdfast(t, dir, "demo", "--keep", "full").want(t, 1, "", "go.mod")
	holdfast(t, dir, "demo", "more").want(t, 2, "", `unexpected argument "more"`)
	if _, err := os.Stat(filepath.Join(dir, "kept")); !os.IsNotExist(err) {
		t.Error("a document with errors left a folder behind")
	}
	if got := tree(t, dir)["full/go.mod"]; got != "module mine\n" {
		t.Errorf("a file of the user's became %q", got)
	}
	t.Setenv("PATH", dir)
	holdfast(t, dir, "demo").want(t, 1, "", "the go command, which was not found")
}
