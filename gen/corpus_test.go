package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests of this file let the generated client of a document call its generated server
// over TCP, both as strict as they can be: each operation with samples of every media type
// of its request and every success that it declares, webhooks and callbacks included. What
// the service sees is compared with what the client was given, and what the client returns
// with what the service gave.
//
// Published documents stand beside the project, in ../shared/corpus. Large ones take
// minutes each to build, so the small ones are tested unless HOLDFAST_CORPUS names others,
// by commas, or says all:
//
//	HOLDFAST_CORPUS=spotify_fixed,github go test ./gen -run TestPublished -v -timeout 1h

// smallDocuments build together in some seconds.
const smallDocuments = "oai_nonoauth,oai_webhook,oai_tags32,oai_callback,typespec_sse32,oai_link,oai_petstore_expanded," +
	"oai_tictactoe,oai_uspto,museum,swagger_petstore,xero_files,readme_schema_types31,redoc_cafe32,train_travel,ollama"

// contradicted are the operations of published documents that admit no request or no
// answer, each with the reason. Nothing can be sent that both sides take.
var contradicted = map[string]string{
	"linode createFirewalls": "the pattern of label admits two characters, minLength wants three",
}

// TestCasesAreAnswered plays all small documents of testdata.
func TestCasesAreAnswered(t *testing.T) {
	if testing.Short() {
		t.Log("short: nothing is built")
		return
	}
	paths, err := filepath.Glob("../testdata/cases/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no cases", err)
	}
	paths = append(paths, "../testdata/specs/gallery.yaml", "../testdata/specs/payments.yaml", "../testdata/operations/every.yaml",
		"internal/emit/testdata/demo/more.yaml")
	var subjects []*subject
	for _, p := range paths {
		subjects = append(subjects, &subject{name: strings.TrimSuffix(filepath.Base(p), ".yaml"), spec: p, due: -1})
	}
	answered(t, subjects)
}

// TestPublishedDocumentsAreAnswered plays the corpus, or a part of it.
func TestPublishedDocumentsAreAnswered(t *testing.T) {
	if testing.Short() {
		t.Log("short: nothing is built")
		return
	}
	corpus := published(t)
	if corpus == nil {
		t.Logf("NOT TESTED: no published documents at %s", corpusDir)
		return
	}
	wanted := os.Getenv("HOLDFAST_CORPUS")
	switch wanted {
	case "":
		wanted = smallDocuments
	case "all":
		all := make([]string, 0, len(corpus))
		for _, s := range corpus {
			all = append(all, s.name)
		}
		wanted = strings.Join(all, ",")
	}
	var small []*subject
	for name := range strings.SplitSeq(wanted, ",") {
		i := slices.IndexFunc(corpus, func(s *subject) bool { return s.name == name })
		if i < 0 {
			t.Errorf("there is no document %q", name)
			continue
		}
		if strings.Contains(","+smallDocuments+",", ","+name+",") {
			small = append(small, corpus[i])
			continue
		}
		t.Run(name, func(t *testing.T) { answered(t, []*subject{corpus[i]}) })
	}
	if len(small) > 0 {
		t.Run("small", func(t *testing.T) { answered(t, small) })
	}
}

const corpusDir = "../../shared/corpus"

// published are the documents of the corpus, small ones first; nil without it.
func published(t *testing.T) []*subject {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(corpusDir, "index.tsv"))
	if err != nil {
		return nil
	}
	var list []*subject
	for i, line := range strings.Split(strings.TrimSpace(string(index)), "\n") {
		columns := strings.Split(line, "\t")
		if i == 0 || len(columns) < 8 {
			continue
		}
		s := &subject{name: columns[0]}
		if s.due, err = strconv.Atoi(columns[7]); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(corpusDir, "specs", s.name+"*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %q, %v", s.name, found, err)
		}
		s.spec = found[0]
		if entry, err := os.ReadFile(filepath.Join(found[0], "ENTRY")); err == nil {
			s.spec = filepath.Join(found[0], strings.TrimSpace(string(entry)))
		}
		list = append(list, s)
	}
	return list
}

// subject is a document that is played.
type subject struct {
	name string
	spec string
	due  int // operations below paths; negative: not known

	packages []string // of calls, by their folder
	counts   map[string]int
	good     map[string]int // of each kind that were answered
	failures []string
	excused  []string // operations that the document contradicts
}

// answered generates the documents into one module, builds one program of them and runs it.
func answered(t *testing.T, subjects []*subject) {
	t.Helper()
	r := &rehearsal{t: t, dir: t.TempDir()}
	if keep := os.Getenv("HOLDFAST_KEEP"); keep != "" {
		r.dir = keep
	}
	start := time.Now()
	r.begin()
	for _, s := range subjects {
		s.counts, s.good = map[string]int{}, map[string]int{}
		r.generate(s)
	}
	generated := time.Since(start)
	r.main(subjects)
	start = time.Now()
	program := r.build()
	built := time.Since(start)
	start = time.Now()
	r.play(program, subjects)
	played := time.Since(start)
	for _, s := range subjects {
		s.report(t)
	}
	t.Logf("generated in %.1f s, built in %.1f s, called in %.1f s", generated.Seconds(), built.Seconds(), played.Seconds())
}

// report prints what came of a document.
func (s *subject) report(t *testing.T) {
	t.Helper()
	for _, f := range s.failures {
		t.Errorf("%s: %s", s.name, f)
	}
	for _, kind := range []string{"operation", "webhook", "callback"} {
		n, good := s.counts[kind], s.good[kind]
		if kind == "operation" && s.due >= 0 && n != s.due {
			t.Errorf("%s has %d operations, %d were met", s.name, s.due, n)
			n = s.due
		}
		switch {
		case kind == "operation" && len(s.excused) > 0:
			t.Logf("%s: answered %d of %d; %d admit nothing: %s", s.name, good, n, len(s.excused), strings.Join(s.excused, "; "))
		case kind == "operation":
			t.Logf("%s: answered %d of %d", s.name, good, n)
		case n > 0:
			t.Logf("%s: answered %d of %d %ss", s.name, good, n, kind)
		}
	}
}
