//go:build linux

// Command chaos runs the payment example as two processes over PostgreSQL behind a network
// that breaks, kills and stops them, and counts what must not happen:
//
//	go run ./examples/payment/chaos -for 60s
//
// It ends with status 1 when a count is not zero. With -without it takes out one of the
// guards, to see that the counts notice. PostgreSQL has to be installed; the command starts
// a server of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/spf13/pflag"
)

func main() { os.Exit(command()) }

func command() int {
	if os.Getenv(roleVariable) == instanceRole {
		return fatal(instance())
	}
	var o options
	var without string
	pflag.DurationVar(&o.span, "for", time.Minute, "how long there are faults")
	pflag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the faults and the load")
	pflag.StringVar(&without, "without", "", "a guard to take out: transaction, fence, owner or lock")
	pflag.Parse()
	o.without = guard(without)
	if without != "" && !slices.Contains(guards, o.without) {
		return fatal(fmt.Errorf("there is no guard %q", without))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := run(ctx, o)
	if err != nil {
		return fatal(err)
	}
	fmt.Fprint(os.Stdout, r)
	if !r.Verdict.good() {
		return fatal(errFound)
	}
	return 0
}
