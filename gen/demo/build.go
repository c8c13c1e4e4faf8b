package demo

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/holdfast-go/holdfast/gen"
)

// program holds the hand-written part of every demo. Its name keeps it out of our own
// module: its packages belong to the demo's.
//
//go:embed _program
var program embed.FS

// goMod is the demo's module. It requires nothing.
const goMod = "\nmodule " + gen.DemoModule + "\n\ngo 1.26\n"

// ErrNoGo says that the go command, which builds the demo, is not there.
var ErrNoGo = errors.New("the demo is built with the go command, which was not found: install Go 1.26 or later (see go.dev/dl) and have its bin folder in PATH")

// findGo finds the go command and makes sure that it is new enough.
func findGo(ctx context.Context) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", ErrNoGo
	}
	cmd := command(ctx, tool, "", "env", "GOVERSION")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the go command at %s does not run: %w", tool, err)
	}
	if version := strings.TrimSpace(string(out)); tooOld(version) {
		return "", fmt.Errorf("the demo needs Go 1.26 or later to be built; %s is %s", tool, version)
	}
	return tool, nil
}

// tooOld reports a release before 1.26; anything that is no release counts as new.
func tooOld(version string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(version, "go%d.%d", &major, &minor); err != nil {
		return false
	}
	return major < 1 || major == 1 && minor < 26
}

// command is a run of the go command that needs no network and does not look at a
// workspace or at flags around the demo.
func command(ctx context.Context, tool, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GO111MODULE=on", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local", "GOSUMDB=off")
	return cmd
}

// generate writes the module.
func (p *production) generate(ctx context.Context) error {
	files, err := staticFiles()
	if err != nil {
		return err
	}
	spec := p.Spec
	if spec == "" {
		temp, err := os.MkdirTemp("", "holdfast-demo-spec-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temp) }()
		spec = filepath.Join(temp, "booking.yaml")
		if err := os.WriteFile(spec, booking, 0o600); err != nil {
			return err
		}
		files = append(files, gen.DemoFile{Path: "booking.yaml", Data: booking})
	}
	cfg := gen.Config{Spec: spec, Out: p.dir, Reporter: p.Progress}
	out, err := gen.RunDemo(ctx, cfg, files)
	p.out = out
	if p.Report != nil && len(out.Diagnostics) > 0 {
		if err := p.Report(out.Output); err != nil {
			return err
		}
	}
	return err
}

// staticFiles are the files that are the same in every demo.
func staticFiles() ([]gen.DemoFile, error) {
	files := []gen.DemoFile{{Path: "go.mod", Data: []byte(goMod)}}
	err := fs.WalkDir(program, "_program", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := program.ReadFile(name)
		files = append(files, gen.DemoFile{Path: strings.TrimPrefix(name, "_program/"), Data: data})
		return err
	})
	return files, err
}

// maxComplaint is how much of the go command's output an error holds.
const maxComplaint = 4 << 10

// build builds the two programs.
func (p *production) build(ctx context.Context) error {
	bin := filepath.Join(p.dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	cmd := command(ctx, p.tool, p.dir, "build", "-o", bin+string(filepath.Separator), "./client", "./server")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		out = bytes.TrimSpace(out)
		return fmt.Errorf("the code in %s does not build, which is a fault of holdfast: please report it together with the document\n%s",
			p.dir, out[:min(len(out), maxComplaint)])
	}
	return nil
}

// binary is the path of one of the programs.
func (p *production) binary(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.dir, "bin", name)
}
