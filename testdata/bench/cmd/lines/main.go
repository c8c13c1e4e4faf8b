// Command lines runs the benchmarks several times, one round after the other so that
// what else the machine does hits all of them alike, and prints the medians with the
// lines that they are held to:
//
//	go run ./cmd/lines [-rounds 10] [-time 200ms] [-by cpu-ns/op] [-router]
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 10, "how often each benchmark is run")
	span := flag.String("time", "200ms", "how long each of them runs in a round")
	by := flag.String("by", "ns/op", "what is compared: ns/op, or cpu-ns/op on a machine that is shared")
	withRouter := flag.Bool("router", true, "the router as well, which takes a minute to build")
	flag.Parse()
	packages := []string{"."}
	if *withRouter {
		packages = append(packages, "./router")
	}
	missed, err := run(context.Background(), packages, *rounds, *span, *by)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(2)
	}
	if missed {
		os.Exit(1)
	}
}

func run(ctx context.Context, packages []string, rounds int, span, by string) (missed bool, err error) {
	dir, err := os.MkdirTemp("", "lines")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	all := samples{}
	for i, p := range packages {
		binary := filepath.Join(dir, "bench"+strconv.Itoa(i)+".test")
		if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, p).CombinedOutput(); err != nil {
			return false, fmt.Errorf("%w\n%s", err, out)
		}
		for range rounds {
			c := exec.CommandContext(ctx, binary, "-test.run", "^$", "-test.bench", ".", "-test.benchtime", span)
			c.Dir, c.Stderr = p, os.Stderr
			out, err := c.Output()
			if err != nil {
				return false, err
			}
			all.read(out)
		}
	}
	all.print(by)
	return judge(all, by), nil
}

// samples are the values of each unit of each benchmark.
type samples map[string]map[string][]float64

func (s samples) read(out []byte) {
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(words[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i] // the number of processors
			}
		}
		if s[name] == nil {
			s[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				s[name][words[i+1]] = append(s[name][words[i+1]], v)
			}
		}
	}
}

// median is that of a benchmark in a unit; false where it was not measured.
func (s samples) median(name, unit string) (float64, bool) {
	list := slices.Sorted(slices.Values(s[name][unit]))
	if len(list) == 0 {
		return 0, false
	}
	return (list[len(list)/2] + list[(len(list)-1)/2]) / 2, true
}

func (s samples) print(by string) {
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "benchmark\t%s\tB/op\tallocs/op\t\n", by)
	var names []string
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "%s\t", name)
		for _, unit := range []string{by, "B/op", "allocs/op"} {
			v, ok := s.median(name, unit)
			if !ok && unit == by {
				v, ok = s.median(name, "ns/op")
			}
			if !ok {
				fmt.Fprint(w, "\t")
				continue
			}
			fmt.Fprintf(w, "%.0f\t", v)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}
