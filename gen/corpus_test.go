package gen

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/emit"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/names"
	"github.com/holdfast-go/holdfast/gen/internal/output"
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
	"influxdb_oss GetDashboardsID": "each dashboard is both alternatives of the answer's oneOf",
	"influxdb_oss PostDashboards":  "each dashboard is both alternatives of the answer's oneOf",
	"linode createFirewalls":       "the pattern of label admits two characters, minLength wants three",
	"vercel createDrain":           "each drain is several alternatives of the answer's oneOf",
	"vercel getDrains":             "each drain is several alternatives of the answer's oneOf",
	"vercel getDrain":              "each drain is both alternatives of the answer's oneOf",
	"vercel updateDrain":           "each drain is both alternatives of the answer's oneOf",
	"vercel getProjectDomains":     "the alternatives of the answer's oneOf are the same",
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

// rehearsal is a module that calls and answers.
type rehearsal struct {
	t   *testing.T
	dir string
}

// answerModule is the path of the module.
const answerModule = "example.test/answer"

// begin writes what is the same for all documents.
func (r *rehearsal) begin() {
	r.t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		r.t.Fatal(err)
	}
	r.write("go.mod", []byte("module "+answerModule+"\n\ngo 1.26\n\nrequire github.com/holdfast-go/holdfast v0.0.0\n\n"+
		"replace github.com/holdfast-go/holdfast => "+root+"\n"))
	const play = "testdata/answer/play"
	files, err := os.ReadDir(play)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(play, f.Name()))
		if err != nil {
			r.t.Fatal(err)
		}
		r.write("play/"+f.Name(), data)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.write("go.sum", sum)
}

func (r *rehearsal) write(name string, data []byte) {
	r.t.Helper()
	file := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// generate writes the packages of a document: one, and where a server cannot tell some
// operations from others, another one of those alone.
func (r *rehearsal) generate(s *subject) {
	r.t.Helper()
	cfg := Config{Spec: s.spec}
	for pass := 1; ; pass++ {
		folder := fmt.Sprintf("d%s_%d", strings.ReplaceAll(s.name, "-", "_"), pass)
		left := r.emit(s, cfg, folder, pass == 1)
		var behind []string
		for _, l := range left {
			if l.Behind {
				behind = append(behind, "operation:"+l.Operation)
				continue
			}
			s.counts["operation"]++
			if why := contradicted[s.name+" "+l.Operation]; why != "" {
				s.excused = append(s.excused, l.Operation+", "+why)
				continue
			}
			s.failures = append(s.failures, l.Operation+": "+l.Reason)
		}
		if len(behind) == 0 {
			break
		}
		if slices.Equal(behind, cfg.Include) {
			r.t.Fatalf("%s: no server takes %q", s.name, behind)
		}
		cfg.Include = behind
	}
	listed := 0
	for key := range contradicted {
		if strings.HasPrefix(key, s.name+" ") {
			listed++
		}
	}
	if len(s.excused) != listed {
		s.failures = append(s.failures, fmt.Sprintf("%d operations admit nothing, %d are listed", len(s.excused), listed))
	}
}

// emit writes one package of a document, and the calls of it.
func (r *rehearsal) emit(s *subject, cfg Config, folder string, hooks bool) []DemoLeft {
	r.t.Helper()
	var list diag.List
	api, table, err := understand(r.t.Context(), cfg, lower.Options{OwnTypes: true}, &list)
	if api == nil || err != nil {
		r.t.Fatalf("%s: %v %v", s.name, err, list.Sorted())
	}
	if !hooks {
		api.Webhooks = nil // were called by the first
	}
	files, err := emit.Emit(api, table, emit.Options{Package: "api"})
	if err != nil {
		r.t.Fatalf("%s: %v", s.name, err)
	}
	r.add(folder+"/api", files)
	demo, err := writeAll(api, table, folder)
	if err != nil {
		r.t.Fatalf("%s: %v", s.name, err)
	}
	r.add(folder+"/calls", demo.Files)
	s.packages = append(s.packages, folder)
	return demo.Left
}

// writeAll makes all calls of a document.
func writeAll(api *ir.API, table *names.Table, folder string) (*emit.Demo, error) {
	return emit.WriteDemo(api, table, emit.DemoOptions{
		Package: "calls", API: path.Join(answerModule, folder, "api"), Play: path.Join(answerModule, "play"), All: true,
	})
}

func (r *rehearsal) add(folder string, files []output.File) {
	r.t.Helper()
	ready, err := output.Prepare(files)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range ready {
		r.write(path.Join(folder, f.Path), f.Data)
	}
}

// main writes the program.
func (r *rehearsal) main(subjects []*subject) {
	r.t.Helper()
	var imports, table bytes.Buffer
	for _, s := range subjects {
		for _, p := range s.packages {
			fmt.Fprintf(&imports, "\t%s %q\n", p, path.Join(answerModule, p, "calls"))
			fmt.Fprintf(&table, "\t\tplay.Document{Name: %q, Contents: &%s.Contents},\n", s.name, p)
		}
	}
	r.write("main.go", fmt.Appendf(nil, "package main\n\nimport (\n%s\n\t%q\n)\n\nfunc main() {\n\tplay.Main(\n%s\t)\n}\n",
		imports.String(), path.Join(answerModule, "play"), table.String()))
}

// build builds the program. Nothing in it is for debuggers, and one package is built at a
// time: large ones take much memory.
func (r *rehearsal) build() string {
	r.t.Helper()
	program := filepath.Join(r.dir, "answer.exe")
	cmd := exec.CommandContext(r.t.Context(), "go", "build", "-p", "2", "-ldflags=-w -s", "-o", program, ".")
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// result is a line of the program; see Result of its package play.
type result struct {
	Document  string   `json:"document"`
	Kind      string   `json:"kind"`
	Operation string   `json:"operation"`
	Calls     int      `json:"calls"`
	Errors    []string `json:"errors"`
}

// play runs the program and notes its results.
func (r *rehearsal) play(program string, subjects []*subject) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Errorf("%v\n%s", err, stderr.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var res result
		if err := json.Unmarshal(lines.Bytes(), &res); err != nil {
			r.t.Fatal(err)
		}
		i := slices.IndexFunc(subjects, func(s *subject) bool { return s.name == res.Document })
		subjects[i].note(&res)
	}
}

func (s *subject) note(res *result) {
	s.counts[res.Kind]++
	if len(res.Errors) == 0 && res.Calls > 0 {
		s.good[res.Kind]++
		return
	}
	for _, e := range res.Errors {
		s.failures = append(s.failures, res.Operation+": "+e)
	}
}
