package accounts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/golden/accounts"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// bank moves money the way that loses some when two do so at once.
type bank struct {
	mu       sync.Mutex
	balance  map[string]int64
	inside   map[string]int
	overlaps int
	tokens   map[string][]int64

	// during is what closing an account takes.
	during func(ctx context.Context) error
}

func (b *bank) enter(ctx context.Context, names ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range names {
		if b.inside[a]++; b.inside[a] > 1 {
			b.overlaps++
		}
		b.tokens[a] = append(b.tokens[a], lock.FencingToken(ctx, "account/"+a))
	}
}

func (b *bank) leave(names ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range names {
		b.inside[a]--
	}
}

func (b *bank) read(account string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.balance[account]
}

func (b *bank) write(account string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.balance[account] = n
}

func (b *bank) Transfer(ctx context.Context, r accounts.TransferRequest) error {
	b.enter(ctx, r.Body.From, r.Body.To)
	defer b.leave(r.Body.From, r.Body.To)
	from, to := b.read(r.Body.From), b.read(r.Body.To)
	b.write(r.Body.From, from-r.Body.Amount)
	b.write(r.Body.To, to+r.Body.Amount)
	return nil
}

func (b *bank) CloseAccount(ctx context.Context, r accounts.CloseAccountRequest) error {
	b.enter(ctx, r.ID)
	defer b.leave(r.ID)
	return b.during(ctx)
}

func newBank() *bank {
	return &bank{balance: map[string]int64{"a": 100, "b": 100}, inside: map[string]int{}, tokens: map[string][]int64{}}
}

func serve(t *testing.T, b *bank, opts ...server.Option) (url string) {
	t.Helper()
	s := httptest.NewServer(accounts.NewHandler(b, append(opts, server.Locks(lock.NewMemory()), server.OnError(nil))...))
	t.Cleanup(s.Close)
	return s.URL
}

func post(t *testing.T, url, body string) (resp *http.Response, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err = http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(b)
}

// Transfers between the same accounts, in both directions, come one after another, and
// each has a higher token than the one before.
func TestTransfers(t *testing.T) {
	b := newBank()
	url := serve(t, b)
	var group sync.WaitGroup
	const transfers = 8
	for i := range transfers {
		group.Go(func() {
			from, to := "a", "b"
			if i%2 == 1 {
				from, to = to, from
			}
			if resp, body := post(t, url+"/transfers", fmt.Sprintf(`{"from":%q,"to":%q,"amount":5}`, from, to)); resp.StatusCode != http.StatusNoContent {
				t.Error(resp.StatusCode, body)
			}
		})
	}
	group.Wait()
	if b.overlaps != 0 || b.balance["a"] != 100 || b.balance["b"] != 100 {
		t.Errorf("%d at once, balances %v", b.overlaps, b.balance)
	}
	for account, tokens := range b.tokens {
		if len(tokens) != transfers {
			t.Errorf("%s: %v", account, tokens)
		}
		for i, token := range tokens {
			if token <= 0 || i > 0 && token <= tokens[i-1] {
				t.Errorf("%s: %v", account, tokens)
			}
		}
	}
}

// held is a bank whose closing of accounts waits until it is let go.
func held() (b *bank, begun <-chan struct{}, free chan<- struct{}) {
	begins, frees := make(chan struct{}, 2), make(chan struct{})
	b = newBank()
	b.during = func(context.Context) error {
		begins <- struct{}{}
		<-frees
		return nil
	}
	return b, begins, frees
}

// Who may not wait is told that somebody else has the lock, and other accounts are free.
func TestBusy(t *testing.T) {
	b, begun, free := held()
	url := serve(t, b)
	first := make(chan int, 1)
	go func() {
		resp, _ := post(t, url+"/accounts/a/close", "")
		first <- resp.StatusCode
	}()
	<-begun
	resp, body := post(t, url+"/accounts/a/close", "")
	if resp.StatusCode != http.StatusConflict || resp.Header.Get("Retry-After") != "1" ||
		!strings.Contains(body, "lock-busy") || resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Error(resp.StatusCode, resp.Header, body)
	}
	close(free)
	if resp, body := post(t, url+"/accounts/b/close", ""); resp.StatusCode != http.StatusNoContent {
		t.Error(resp.StatusCode, body)
	}
	if s := <-first; s != http.StatusNoContent {
		t.Error(s)
	}
}

// The context of a method ends when its lock does, and the caller may come again.
func TestLost(t *testing.T) {
	b := newBank()
	var cause error
	b.during = func(ctx context.Context) error {
		<-ctx.Done()
		cause = context.Cause(ctx)
		return ctx.Err()
	}
	resp, body := post(t, serve(t, b)+"/accounts/a/close", "")
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "the lock was lost") {
		t.Error(resp.StatusCode, body)
	}
	if !errors.Is(cause, lock.ErrLost) {
		t.Errorf("the method was stopped by %v", cause)
	}
}

// In shadow mode nobody waits and nobody is refused.
func TestWatched(t *testing.T) {
	b, begun, free := held()
	var busy atomic.Int32
	url := serve(t, b, server.Profile("watched"), server.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
		if e.Reason == observe.Lock && e.Shadow {
			busy.Add(1)
		}
	}}))
	statuses := make(chan int, 2)
	for range 2 {
		go func() {
			resp, _ := post(t, url+"/accounts/a/close", "")
			statuses <- resp.StatusCode
		}()
		<-begun
	}
	close(free)
	for range 2 {
		if s := <-statuses; s != http.StatusNoContent {
			t.Error(s)
		}
	}
	if busy.Load() > 1 { // the first may be lost before the second comes
		t.Errorf("%d would have been refused", busy.Load())
	}
}

// A handler whose locks nobody holds is not made, and the error says what to do.
func TestNoBackend(t *testing.T) {
	for _, c := range []struct {
		opts []server.Option
		want string
	}{
		{nil, "transfer takes a lock of the backend redis: give it to the handler with server.Locks"},
		{[]server.Option{server.Locks(lock.NewMemory(), policy.LockRedis)}, "closeAccount takes a lock of the backend postgres"},
	} {
		func() {
			defer func() {
				if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
			}()
			accounts.NewHandler(newBank(), c.opts...)
		}()
	}
}
