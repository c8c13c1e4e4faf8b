package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

const modulePath = "github.com/holdfast-go/holdfast"

func (a *app) versionCommand() *command {
	return &command{
		name:    "version",
		summary: "print the version",
		help:    "Version prints the version of holdfast, of the Go that built it, and the system.",
		flags:   newFlags("version"),
		run: func(_ context.Context, args []string) error {
			if err := noArguments(args); err != nil {
				return err
			}
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintf(a.stdout, "holdfast %s %s %s/%s\n", versionOf(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// versionOf finds our version in the description of the binary. Built by `go
// tool` or `go run` inside a user's module, that module is the main one and we
// are among its dependencies, perhaps replaced.
func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == modulePath {
			return moduleVersion(m)
		}
	}
	return "(unknown)"
}

func moduleVersion(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	if m.Version == "" { // a folder
		return "(devel)"
	}
	return m.Version
}
