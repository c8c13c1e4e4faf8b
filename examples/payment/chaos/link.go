//go:build linux

package main

import (
	"errors"
	"net"
	"sync"
	"time"
)

// link is a network that a test breaks: what connects to it is led to one of its targets
// in turn. It is safe for concurrent use.
type link struct {
	listener net.Listener
	done     chan struct{}
	wait     sync.WaitGroup

	mu      sync.Mutex
	targets []string
	next    int
	pairs   map[*pair]struct{}
	delay   time.Duration // of each piece, in both directions
	held    time.Time     // until then nothing reaches the target
	losing  time.Time     // until then answers are lost
}

// pair is a connection with its continuation.
type pair struct {
	client, target net.Conn
}

func (p *pair) close() {
	_ = p.client.Close()
	_ = p.target.Close()
}

// newLink opens a link on a free port.
func newLink(targets ...string) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It takes no time.
	if err != nil {
		return nil, err
	}
	l := &link{listener: listener, targets: targets, done: make(chan struct{}), pairs: make(map[*pair]struct{})}
	l.wait.Go(l.accept)
	return l, nil
}

func (l *link) addr() string { return l.listener.Addr().String() }

// close ends the link with all connections.
func (l *link) close() {
	close(l.done)
	_ = l.listener.Close()
	l.cut()
	l.wait.Wait()
}

// lead leads new connections to other targets.
func (l *link) lead(targets ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.targets = targets
}

// cut ends all connections.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.pairs {
		p.close()
	}
}

// slow delays each piece; zero is as fast as it goes.
func (l *link) slow(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = d
}

// hold keeps what is sent to the target for a while, and then delivers it, also where the
// sender has gone.
func (l *link) hold(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = time.Now().Add(d)
}

// lose cuts, for a while, each connection when an answer comes back on it.
func (l *link) lose(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losing = time.Now().Add(d)
}

func (l *link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.wait.Go(func() { l.carry(client) })
	}
}

func (l *link) carry(client net.Conn) {
	l.mu.Lock()
	address := l.targets[l.next%len(l.targets)]
	l.next++
	l.mu.Unlock()
	target, err := net.DialTimeout("tcp", address, time.Second) //nolint:noctx // It has a bound.
	if err != nil {
		_ = client.Close()
		return
	}
	p := &pair{client, target}
	l.mu.Lock()
	l.pairs[p] = struct{}{}
	l.mu.Unlock()
	defer func() {
		p.close()
		l.mu.Lock()
		delete(l.pairs, p)
		l.mu.Unlock()
	}()
	var back sync.WaitGroup
	back.Go(func() { l.back(p) })
	l.forth(p)
	back.Wait()
}

const piece = 16 << 10

// forth carries what the client sends. Its end is told to the target after all that came
// before it.
func (l *link) forth(p *pair) {
	buf := make([]byte, piece)
	for {
		n, err := p.client.Read(buf)
		if n > 0 {
			l.pause(true)
			if _, err := p.target.Write(buf[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	if half, ok := p.target.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// back carries what the target sends.
func (l *link) back(p *pair) {
	buf := make([]byte, piece)
	gone := false
	for {
		n, err := p.target.Read(buf)
		if n > 0 && !gone {
			l.mu.Lock()
			losing := time.Now().Before(l.losing)
			l.mu.Unlock()
			if losing {
				break
			}
			l.pause(false)
			_, failed := p.client.Write(buf[:n])
			gone = failed != nil // the target may have more to do
		}
		if err != nil {
			break
		}
	}
	p.close()
}

// pause waits as long as a piece takes that comes now.
func (l *link) pause(forth bool) {
	l.mu.Lock()
	until := time.Now().Add(l.delay)
	if forth && l.held.After(until) {
		until = l.held
	}
	l.mu.Unlock()
	_ = l.sleep(time.Until(until))
}

var errClosed = errors.New("the link is closed")

func (l *link) sleep(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-l.done:
		return errClosed
	}
}
