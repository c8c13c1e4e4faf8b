package redisstore

import (
	"context"
	"crypto/rand"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/redis/go-redis/v9"
)

const (
	// maxUntold is the number of notices that wait to be sent; more are dropped.
	maxUntold = 256
	// tellTime bounds the sending of one.
	tellTime = time.Second
	// maxNotice bounds, in bytes, what is taken for a notice.
	maxNotice = 1024
)

// Breakers tell instances of each other's open breakers over a channel of Redis. It is
// safe for concurrent use, and any number of clients may share one:
//
//	shared, err := redisstore.NewBreakers(redis, redisstore.Options{})
//	defer shared.Close()
//	c, err := payments.New(client.ShareBreakers(shared))
//
// Nothing is kept in Redis: who starts later, or is cut off, hears of the next breaker that
// opens. No call waits for it. While Redis is gone each instance goes by what it has seen
// itself, and the connection is made again when Redis is back.
type Breakers struct {
	client   redis.UniversalClient
	channel  string
	instance string
	untold   chan breaker.Notice
	dropped  atomic.Uint64
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu   sync.RWMutex
	hear []func(breaker.Notice)
}

var _ breaker.Share = (*Breakers)(nil)

// NewBreakers joins the channel of a prefix. It does not wait for Redis. Close ends it.
func NewBreakers(c redis.UniversalClient, o Options) (*Breakers, error) {
	prefix, err := open(c, o, "breakers")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &Breakers{
		client: c, channel: prefix + "open", instance: rand.Text(), untold: make(chan breaker.Notice, maxUntold), cancel: cancel,
	}
	b.running.Go(func() { b.send(ctx) })
	b.running.Go(func() { b.receive(ctx) })
	return b, nil
}

// Tell has the notice sent, unless too many wait already.
func (b *Breakers) Tell(n breaker.Notice) {
	select {
	case b.untold <- n:
	default:
		b.dropped.Add(1)
	}
}

// Listen has hear called for the notices of other instances, until Close.
func (b *Breakers) Listen(hear func(breaker.Notice)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hear = append(b.hear, hear)
}

// Dropped is the number of notices that could not be sent.
func (b *Breakers) Dropped() uint64 { return b.dropped.Load() }

// Close leaves the channel, and returns when nobody is called any more. The connection to
// Redis stays the caller's.
func (b *Breakers) Close() {
	b.cancel()
	b.running.Wait()
}

// send sends what clients tell, one after the other.
func (b *Breakers) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-b.untold:
			text := formatNotice(b.instance, n)
			bound, cancel := context.WithTimeout(ctx, tellTime)
			if len(text) > maxNotice || b.client.Publish(bound, b.channel, text).Err() != nil {
				b.dropped.Add(1)
			}
			cancel()
		}
	}
}

// receive hands on what other instances tell. The channel of go-redis connects anew by
// itself.
func (b *Breakers) receive(ctx context.Context) {
	sub := b.client.Subscribe(ctx, b.channel)
	defer sub.Close() //nolint:errcheck // There is nothing left to do about it.
	messages := sub.Channel()
	for {
		select {
		case <-ctx.Done():
			return
		case m, open := <-messages:
			if !open {
				return
			}
			if instance, n, ok := parseNotice(m.Payload); ok && instance != b.instance {
				b.deliver(n)
			}
		}
	}
}

func (b *Breakers) deliver(n breaker.Notice) {
	b.mu.RLock()
	list := b.hear
	b.mu.RUnlock()
	for _, hear := range list {
		hear(n)
	}
}

// noticeForm begins a notice; another form has another word.
const noticeForm = "open1"

// formatNotice is a notice as it is sent: its form, who tells, for how many milliseconds,
// and the breaker, whose name may have any character.
func formatNotice(instance string, n breaker.Notice) string {
	return noticeForm + " " + instance + " " + strconv.FormatInt(n.For.Milliseconds(), 10) + " " + n.Breaker
}

// parseNotice reads one. Who can write to the channel is not trusted with more than to
// name a breaker: how long it may stay open is for the breaker to bound.
func parseNotice(text string) (instance string, n breaker.Notice, ok bool) {
	if len(text) > maxNotice {
		return "", n, false
	}
	parts := strings.SplitN(text, " ", 4)
	if len(parts) != 4 || parts[0] != noticeForm || parts[1] == "" || parts[3] == "" {
		return "", n, false
	}
	ms, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || ms <= 0 || ms > math.MaxInt64/int64(time.Millisecond) {
		return "", n, false
	}
	return parts[1], breaker.Notice{Breaker: parts[3], For: time.Duration(ms) * time.Millisecond}, true
}
