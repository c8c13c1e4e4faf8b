package main

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// table collects the measurements and prints each as it comes.
type table struct {
	dir     string
	limit   time.Duration
	build   bool
	n       int
	results map[string]map[string]result // document, tool
}

type result struct {
	usage
	lines, operations int
	built             usage
}

func (t *table) measure(ctx context.Context, tool tool, document string) {
	name := strings.TrimSuffix(filepath.Base(document), filepath.Ext(document))
	spec, err := filepath.Abs(document)
	if err != nil {
		fmt.Println(name, err)
		return
	}
	t.n++
	root := filepath.Join(t.dir, fmt.Sprintf("module%d", t.n))
	defer os.RemoveAll(root)
	out := filepath.Join(root, "api")
	if err := prepare(root, out); err != nil {
		fmt.Println(name, err)
		return
	}
	r := result{usage: timed(ctx, root, t.limit, tool.args(spec, out)...), operations: countOperations(spec)}
	r.lines = countLines(out)
	line := fmt.Sprintf("%-24s %-13s", name, tool.name)
	if r.err != nil {
		fmt.Println(line, "refuses:", r.err)
		return
	}
	line += fmt.Sprintf(" %6.2f s %5d MB %8d lines", r.wall.Seconds(), r.peak>>20, r.lines)
	if r.operations > 0 {
		line += fmt.Sprintf(" %5d an operation", r.lines/r.operations)
	}
	if t.build {
		r.built = t.buildAnew(ctx, root, out)
		if r.built.err != nil {
			line += "   does not build"
		} else {
			line += fmt.Sprintf("   builds in %.1f s of CPU", r.built.cpu.Seconds())
		}
	}
	fmt.Println(line)
	if t.results == nil {
		t.results = map[string]map[string]result{}
	}
	if t.results[name] == nil {
		t.results[name] = map[string]result{}
	}
	t.results[name][tool.name] = r
}

// buildAnew builds twice: the first time for what the package imports, which a program
// builds once, and then the package alone, with one more file in it.
func (t *table) buildAnew(ctx context.Context, root, out string) usage {
	args := []string{"go", "build", "-p", "1", "./api"}
	if first := timed(ctx, root, t.limit, args...); first.err != nil {
		return first
	}
	text := fmt.Sprintf("package api\n\n// %d\n", time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(out, "zz_anew.go"), []byte(text), 0o600); err != nil {
		return usage{err: err}
	}
	return timed(ctx, root, t.limit, args...)
}

// prepare makes a module in which the output of each tool builds: the versions are
// those of the module of the benchmarks.
func prepare(root, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	bench, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	project := filepath.Join(bench, "..", "..")
	text := strings.Replace(string(mod), "=> ../..", "=> "+project, 1)
	text = strings.Replace(text, "module github.com/holdfast-go/holdfast/testdata/bench", "module measured.example/api", 1)
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte(text), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "go.sum"), sum, 0o600)
}

// countLines counts the lines of the Go files below a folder.
func countLines(folder string) (n int) {
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" {
			return nil //nolint:nilerr // What cannot be read has no lines.
		}
		f, err := os.Open(path)
		if err != nil {
			return nil //nolint:nilerr // As said.
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			n++
		}
		return nil
	})
	return n
}

// summary prints the medians over the documents.
func (t *table) summary() {
	var perOperation, time3, cpu2, cpu3 []float64
	for _, r := range t.results {
		ours, ok := r["holdfast"]
		if !ok || ours.operations == 0 {
			continue
		}
		perOperation = append(perOperation, float64(ours.lines)/float64(ours.operations))
		built := func(peer string) (float64, bool) {
			p, ok := r[peer]
			return share(ours.built.cpu, p.built.cpu), ok && ours.built.cpu > 0 && p.built.cpu > 0 && p.built.err == nil && ours.built.err == nil
		}
		if p, ok := r["oapi-codegen"]; ok {
			time3 = append(time3, share(ours.wall, p.wall))
		}
		if s, ok := built("oapi-codegen"); ok {
			cpu2 = append(cpu2, s)
		}
		if s, ok := built("ogen"); ok {
			cpu3 = append(cpu3, s)
		}
	}
	fmt.Println()
	for _, l := range []struct {
		what string
		list []float64
		most float64
	}{
		{"lines an operation", perOperation, 250},
		{"time of the command, of oapi-codegen's", time3, 1.0 / 3},
		{"processor time of the build, of oapi-codegen's", cpu2, 0.5},
		{"processor time of the build, of ogen's", cpu3, 1.0 / 3},
	} {
		if len(l.list) == 0 {
			fmt.Printf("%-48s not measured\n", l.what)
			continue
		}
		slices.Sort(l.list)
		fmt.Printf("%-48s median %.2f of %d documents, at most %.2f\n", l.what, l.list[len(l.list)/2], len(l.list), l.most)
	}
	if large, ok := t.results[largeName]["holdfast"]; ok {
		fmt.Printf("%-48s %.2f s and %d MB, at most 2 s and 300 MB\n", "a document of the size of Plaid's", large.wall.Seconds(), large.peak>>20)
	}
}

func share(ours, peer time.Duration) float64 {
	if peer <= 0 {
		return 0
	}
	return float64(ours) / float64(peer)
}
