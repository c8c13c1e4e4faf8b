// Command client calls the service of the demo through the generated client, lets the
// service fail in various ways, and prints what comes of each call.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"demo/calls"

	"github.com/holdfast-go/holdfast/runtime/client"
)

// limit ends a demo that hangs, which none should.
const limit = 2 * time.Minute

func main() {
	api := flag.String("api", "", "address of the service")
	control := flag.String("control", "", "address where its faults are set")
	flag.Parse()
	if err := start(*api, *control); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// start bounds the play: by its time, and by the life of whoever started it.
func start(api, control string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	go func() {
		// Standard input is closed when whoever started this program is gone.
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return run(ctx, api, control)
}

// run makes the calls of all scenes.
func run(ctx context.Context, api, control string) error {
	w := newWatch(os.Stdout)
	list, err := calls.New(api, client.Observe(w.hooks()))
	if err != nil {
		return err
	}
	s := &stage{ctx: ctx, out: os.Stdout, watch: w, control: remote{control}, calls: list}
	for _, scene := range scenes {
		if err := s.play(scene); err != nil {
			return err
		}
	}
	return s.summary()
}
