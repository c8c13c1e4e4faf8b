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

// build builds the program. Nothing in it is for debuggers, and two packages at most are
// built at a time: large ones take much memory.
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
