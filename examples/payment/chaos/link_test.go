//go:build linux

package main

import (
	"io"
	"net"
	"testing"
	"time"
)

// A link leads to its targets in turn, delivers what is held although the sender has gone,
// and loses answers by cutting the connection.
func TestLink(t *testing.T) {
	heard := make(chan string, 4)
	var targets []string
	for _, name := range []string{"first", "second"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		targets = append(targets, l.Addr().String())
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				text, _ := io.ReadAll(c)
				heard <- name + " " + string(text)
				_, _ = io.WriteString(c, "answer")
				_ = c.Close()
			}
		}()
	}
	l, err := newLink(targets...)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	send := func(text string) *net.TCPConn {
		c, err := net.Dial("tcp", l.addr())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		tcp := c.(*net.TCPConn)
		_ = tcp.CloseWrite()
		return tcp
	}

	c := send("a")
	if answer, err := io.ReadAll(c); string(answer) != "answer" || err != nil || <-heard != "first a" {
		t.Errorf("%q, %v", answer, err)
	}
	begun := time.Now()
	l.hold(200 * time.Millisecond)
	_ = send("b").Close()
	if got := <-heard; got != "second b" || time.Since(begun) < 200*time.Millisecond {
		t.Errorf("%q after %s", got, time.Since(begun))
	}
	l.lose(time.Hour)
	c = send("c")
	if answer, _ := io.ReadAll(c); len(answer) > 0 || <-heard != "first c" {
		t.Errorf("the answer %q came", answer)
	}
}
