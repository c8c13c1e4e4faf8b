// Command holdfast generates typed Go clients and servers with resilience built
// in, from OpenAPI documents.
//
//	holdfast generate --spec openapi.yaml --out internal/api --package api
//
// Run `holdfast help` for everything else. The exit status is 0 when all is
// done, 1 when the document, the check or the output folder is at fault, and 2
// when the command line or the configuration file is.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(realMain())
}

// realMain is main with its deferred calls done before the process ends.
func realMain() int {
	delayCollector()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	a := &app{
		stdout: os.Stdout,
		stderr: os.Stderr,
		screen: screenOf(os.Stderr, os.Getenv),
		output: screenOf(os.Stdout, os.Getenv),
	}
	return a.run(ctx, os.Args[1:])
}
