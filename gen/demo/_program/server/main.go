// Command server is the service of the demo: the generated server over a generated
// service, with faults in front of it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"demo/calls"
	"demo/play"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until standard input is closed, which also happens when whoever started
// this program is gone.
func run() error {
	world := &play.World{}
	script := &script{next: calls.Handler(world)}
	api, err := serve(script)
	if err != nil {
		return err
	}
	control, err := serve(controls(script, world))
	if err != nil {
		return errors.Join(err, api.Close())
	}
	if err := json.NewEncoder(os.Stdout).Encode(play.Addresses{API: api.Addr, Control: control.Addr}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, api.Close(), control.Close())
}

// serve starts a server on a free port of the loopback interface; its Addr is the URL.
func serve(h http.Handler) (*http.Server, error) {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Addr: "http://" + l.Addr().String(), Handler: h, ReadHeaderTimeout: 5 * time.Second}
	// Each request has a connection of its own: net/http repeats a request by itself
	// when a connection that it has used before breaks, and the demo is about the
	// tries that the policy makes.
	s.SetKeepAlivesEnabled(false)
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "server:", err)
		}
	}()
	return s, nil
}

// controls is how the client sets faults and learns of effects.
func controls(s *script, world *play.World) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT "+play.FaultsPath, func(w http.ResponseWriter, r *http.Request) {
		var faults []play.Fault
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&faults); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.set(faults)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+play.EffectsPath, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(world.Effects())
	})
	return mux
}
