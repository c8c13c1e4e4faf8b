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
	if info.Main.Path == modulePath {
		return known(info.Main.Version)
	}
	for _, dep := range info.Deps {
		if dep.Path != modulePath {
			continue
		}
		if dep.Replace != nil && dep.Replace.Version == "" {
			return "(devel)" // a folder
		}
		if dep.Replace != nil {
			return dep.Replace.Version
		}
		return known(dep.Version)
	}
	return "(unknown)"
}

func known(version string) string {
	if version == "" {
		return "(devel)"
	}
	return version
}
