package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// progressDelay is how long a run is silent: most end before.
	progressDelay = time.Second
	progressEvery = 200 * time.Millisecond
)

// eraseLine goes to the start of the line and clears it.
const eraseLine = "\r\x1b[K"

// progress shows on one line of a terminal what a long run is doing. A nil
// *progress shows nothing.
type progress struct {
	w     io.Writer
	start time.Time
	stop  chan struct{}
	done  chan struct{}

	mu   sync.Mutex
	text string
}

// newProgress starts a line on w, which must be a terminal. Close ends it.
func newProgress(w io.Writer) *progress {
	p := &progress{w: w, start: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	go p.loop()
	return p
}

// set says what is being done now. It never waits for the terminal.
func (p *progress) set(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// Close clears the line. Only after it may others write to the terminal.
func (p *progress) Close() {
	if p == nil {
		return
	}
	close(p.stop)
	<-p.done
}

func (p *progress) loop() {
	defer close(p.done)
	timer := time.NewTimer(progressDelay)
	defer timer.Stop()
	shown := false
	for {
		select {
		case <-p.stop:
			if shown {
				fmt.Fprint(p.w, eraseLine)
			}
			return
		case <-timer.C:
			p.mu.Lock()
			text := p.text
			p.mu.Unlock()
			fmt.Fprintf(p.w, "%s%s… %ds", eraseLine, text, int(time.Since(p.start).Seconds()))
			shown = true
			timer.Reset(progressEvery)
		}
	}
}
