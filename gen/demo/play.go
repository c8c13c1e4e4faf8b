package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// grace is how long a program has to end when it is told to.
const grace = 3 * time.Second

// play starts the server and runs the client against it. Both have ended when it
// returns, and would end by themselves without it: they watch their standard input.
func (p *production) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	service, addresses, err := p.startServer(ctx)
	if err != nil {
		return err
	}
	err = p.runClient(ctx, addresses)
	return errors.Join(err, service.stop())
}

// service is a running server.
type service struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

// stop ends the server and waits until it is gone.
func (s *service) stop() error {
	_ = s.stdin.Close()
	timer := time.AfterFunc(grace, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: the server: %w", ErrPlay, err)
	}
	return nil
}

// addresses are where a server listens; see play.Addresses of the program.
type addresses struct {
	API     string `json:"api"`
	Control string `json:"control"`
}

func (p *production) startServer(ctx context.Context) (*service, addresses, error) {
	var at addresses
	cmd := exec.CommandContext(ctx, p.binary("server"))
	cmd.Stderr = p.Stderr
	cmd.WaitDelay = grace
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, at, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, at, err
	}
	if err := cmd.Start(); err != nil {
		return nil, at, fmt.Errorf("%w: starting the server: %w", ErrPlay, err)
	}
	s := &service{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(io.LimitReader(stdout, 1<<10)).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &at)
	}
	if err != nil {
		return nil, at, errors.Join(fmt.Errorf("%w: the server did not say where it listens: %w", ErrPlay, err), s.stop())
	}
	return s, at, nil
}

// runClient runs the client, which prints the play.
func (p *production) runClient(ctx context.Context, at addresses) error {
	cmd := exec.CommandContext(ctx, p.binary("client"), "-api", at.API, "-control", at.Control)
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	cmd.WaitDelay = grace
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: the client: %w", ErrPlay, err)
	}
	return nil
}
