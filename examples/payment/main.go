// Command payment is a service that moves money, and a client that loses some of its
// answers, both generated from openapi.yaml:
//
//	go run ./examples/payment                       # on SQLite, nothing to install
//	go run ./examples/payment --postgres "$URL"     # on PostgreSQL
//
// It pays, loses the answers of the first tries, and shows that each payment was made once.
// With --serve it only serves, at an address, for callers of your own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/pflag"

	"github.com/holdfast-go/holdfast/examples/payment/api"
	"github.com/holdfast-go/holdfast/runtime/client"
)

func main() {
	var s settings
	pflag.StringVar(&s.postgres, "postgres", "", "URL of a PostgreSQL database; without it SQLite in a folder that is deleted")
	pflag.StringVar(&s.serve, "serve", "", "serve at this address, such as 127.0.0.1:8080, and make no calls")
	pflag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := s.run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	postgres, serve string
}

func (s settings) run(ctx context.Context, out io.Writer) error {
	d, err := s.open(ctx)
	if err != nil {
		return err
	}
	if s.serve != "" {
		err = listen(ctx, out, s.serve, d.handler())
	} else {
		err = show(ctx, out, d)
	}
	return errors.Join(err, d.close())
}

// listen serves until the context ends.
func listen(ctx context.Context, out io.Writer, address string, h http.Handler) error {
	web := http.Server{Addr: address, Handler: h, ReadHeaderTimeout: 10 * time.Second}
	end := context.AfterFunc(ctx, func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = web.Shutdown(bounded)
	})
	defer end()
	fmt.Fprintln(out, "serving at", address, "for the token", token)
	if err := web.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// lossy answers every odd request after its work is done with a reset.
type lossy struct {
	next  http.Handler
	calls int
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.calls++ // the calls of this program come one after the other
	if l.calls%2 == 1 {
		l.next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Connection", "close") // net/http itself repeats requests on old connections
	l.next.ServeHTTP(w, r)
}

// show makes calls through a network that loses answers.
func show(ctx context.Context, out io.Writer, d *database) error {
	web := httptest.NewServer(&lossy{next: d.handler()})
	defer web.Close()
	c, err := api.New(client.BaseURL(web.URL), client.Bearer(api.SchemeBearer, token))
	if err != nil {
		return err
	}
	for _, p := range []api.NewPayment{
		{From: "ann", To: "bob", Amount: 2_500, Reference: "rent"},
		{From: "bob", To: "ann", Amount: 1_200, Reference: "bread"},
		{From: "bob", To: "ann", Amount: 900_000, Reference: "a house"},
	} {
		if err := pay(ctx, out, c, p); err != nil {
			return err
		}
	}
	return d.print(ctx, out)
}

// pay makes one payment. The key is the caller's own: what it wants once has one name.
func pay(ctx context.Context, out io.Writer, c *api.Client, p api.NewPayment) error {
	var meta client.Meta
	paid, err := c.CreatePayment(ctx, api.CreatePaymentRequest{Body: p}, client.IdempotencyKey(p.Reference), client.Into(&meta))
	short, isShort := errors.AsType[*api.CreatePaymentPaymentRequired](err)
	switch {
	case isShort:
		fmt.Fprintf(out, "%s: %s has only %d\n", p.Reference, p.From, short.Body.Balance)
	case err != nil:
		return err
	default:
		fmt.Fprintf(out, "%s: payment %d, %s has %d left; tries: %d, replayed: %t\n", p.Reference, paid.ID, p.From, paid.Balance, meta.Tries, meta.Replayed)
	}
	return nil
}
