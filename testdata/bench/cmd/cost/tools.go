package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// tool is a generator as a built command.
type tool struct {
	name string
	args func(spec, out string) []string
}

// tools builds the three.
func tools(ctx context.Context, dir string) ([]tool, error) {
	own := filepath.Join(dir, "holdfast")
	if out, err := exec.CommandContext(ctx, "go", "-C", "../..", "build", "-o", own, "./cmd/holdfast").CombinedOutput(); err != nil {
		return nil, errors.Join(err, errors.New(string(out)))
	}
	peer := func(name string) (string, error) {
		// go tool -n builds a tool and tells where it is.
		out, err := exec.CommandContext(ctx, "go", "tool", "-n", name).Output()
		return strings.TrimSpace(string(out)), err
	}
	oapi, err := peer("oapi-codegen")
	if err != nil {
		return nil, err
	}
	ogen, err := peer("ogen")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "ogen.yaml")
	if err := os.WriteFile(config, []byte("generator:\n  ignore_not_implemented: [all]\n"), 0o600); err != nil {
		return nil, err
	}
	return []tool{
		{"holdfast", func(spec, out string) []string {
			return []string{own, "generate", "--spec", spec, "--out", out, "--package", "api"}
		}},
		{"oapi-codegen", func(spec, out string) []string {
			return []string{oapi, "-generate", "types,client,std-http,strict-server", "-package", "api", "-o", filepath.Join(out, "api.go"), spec}
		}},
		{"ogen", func(spec, out string) []string {
			return []string{ogen, "-config", config, "-package", "api", "-target", out, "-clean", spec}
		}},
	}, nil
}

// usage is what a command took.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes
	err       error
}

// timed runs a command and reads its resources as the kernel counts them.
func timed(ctx context.Context, dir string, limit time.Duration, args ...string) usage {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = dir
	begin := time.Now()
	err := c.Run()
	u := usage{wall: time.Since(begin), err: err}
	if c.ProcessState != nil {
		u.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		if r, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			u.peak = r.Maxrss << 10 // Linux counts in kilobytes
		}
	}
	return u
}
