//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/examples/payment/api"
	"github.com/holdfast-go/holdfast/runtime/client"
)

// intent is what a client wants once: a payment, or a statement where payment is nil.
type intent struct {
	key     string
	payment *api.NewPayment
	account string // of the statement
}

// load is the clients, and what they were told.
type load struct {
	clients []*api.Client

	mu       sync.Mutex
	next     int
	calls    int               // that returned
	failed   int               // of them, with an error
	tries    int               // of all calls
	replayed int               // calls
	answers  map[string]string // by key: what the first answer said
	differ   int               // answers that were another one
	paid     map[string]int64  // acknowledged payments by reference
	open     []intent          // without an answer yet
	all      []intent          // answered
}

// clients of the load, each with its own breaker and budget, as of several processes.
const clients = 6

func newLoad(address string) (*load, error) {
	l := &load{answers: make(map[string]string), paid: make(map[string]int64)}
	for range clients {
		c, err := api.New(client.BaseURL("http://"+address), client.Bearer(api.SchemeBearer, token), client.HTTP(&http.Client{Transport: &http.Transport{}}))
		if err != nil {
			return nil, err
		}
		l.clients = append(l.clients, c)
	}
	return l, nil
}

// pay wants payments until the context ends, statements wants statements.
func (l *load) pay(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		from := random.IntN(accounts)
		key := l.newKey("payment")
		l.want(ctx, random, intent{key: key, payment: &api.NewPayment{
			From: account(from), To: account((from + 1 + random.IntN(accounts-1)) % accounts), Amount: 1 + random.Int64N(100), Reference: key,
		}})
	}
}

func (l *load) statements(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		l.want(ctx, random, intent{key: l.newKey("statement"), account: account(random.IntN(statemented))})
	}
}

func (l *load) newKey(kind string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	return fmt.Sprintf("%s %d", kind, l.next)
}

// want asks until there is an answer, at times twice at once, as a caller does that is
// itself a retry of something.
func (l *load) want(ctx context.Context, random *rand.Rand, i intent) {
	answered := false
	for !answered && ctx.Err() == nil {
		var twin sync.WaitGroup
		var other bool
		if random.IntN(4) == 0 {
			second := l.clients[random.IntN(len(l.clients))]
			twin.Go(func() { other = l.ask(ctx, second, i) })
		}
		answered = l.ask(ctx, l.clients[random.IntN(len(l.clients))], i)
		twin.Wait()
		answered = answered || other
		if !answered {
			_ = rest(ctx, time.Duration(random.Int64N(int64(100*time.Millisecond))))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if answered {
		l.all = append(l.all, i)
	} else {
		l.open = append(l.open, i)
	}
}

// ask makes one call, with its retries, and notes the answer. It is false without one.
func (l *load) ask(ctx context.Context, c *api.Client, i intent) bool {
	var meta client.Meta
	options := []client.CallOption{client.IdempotencyKey(i.key), client.Into(&meta)}
	var answer string
	var id int64
	var err error
	if i.payment != nil {
		var p *api.Payment
		if p, err = c.CreatePayment(ctx, api.CreatePaymentRequest{Body: *i.payment}, options...); err == nil {
			answer, id = fmt.Sprint(p.ID, p.Balance), p.ID
		}
		if short, ok := errors.AsType[*api.CreatePaymentPaymentRequired](err); ok {
			answer, err = fmt.Sprint("short of money: ", short.Body.Balance), nil // it is an answer, and no effect
		}
	} else {
		var s *api.Statement
		if s, err = c.CloseStatement(ctx, api.CloseStatementRequest{ID: i.account}, options...); err == nil {
			answer = fmt.Sprint(s.Number, s.Balance)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.tries += meta.Tries
	if err != nil {
		l.failed++
		return false
	}
	if meta.Replayed {
		l.replayed++
	}
	if meta.Header.Get(unkeptHeader) == "" {
		if first, ok := l.answers[i.key]; !ok {
			l.answers[i.key] = answer
		} else if first != answer {
			l.differ++
		}
	}
	if id > 0 {
		l.paid[i.payment.Reference] = id
	}
	return true
}

// settle asks for what has no answer yet, and once more for all that has: the answers have
// to be the same.
func (l *load) settle(ctx context.Context, random *rand.Rand) {
	l.mu.Lock()
	todo := slices.Concat(l.open, l.all)
	l.open, l.all = nil, nil
	l.mu.Unlock()
	queue := make(chan intent)
	var workers sync.WaitGroup
	for range 8 {
		own := rand.New(rand.NewPCG(random.Uint64(), 0)) //nolint:gosec // It is no secret.
		workers.Go(func() {
			for i := range queue {
				l.want(ctx, own, i)
			}
		})
	}
	for _, i := range todo {
		queue <- i
	}
	close(queue)
	workers.Wait()
}
