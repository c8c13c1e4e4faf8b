package redisstore

import (
	"context"
	"crypto/sha1" //nolint:gosec // It names a script to the server, and protects nothing.
	"encoding/hex"
	"errors"

	"github.com/redis/go-redis/v9"
)

// script is a program for the server, which knows it by its hash once it has seen it.
type script struct{ text, hash string }

func newScript(text string) *script {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // The same.
	return &script{text, hex.EncodeToString(sum[:])}
}

// command is one run of a script. The client does not send it again after an error: its
// answer may be lost, and it was made. A client of a cluster would, whatever its MaxRetries
// is; it goes on following slots that have moved.
type command struct{ *redis.Cmd }

// NoRetry is that of [redis.Cmder].
func (command) NoRetry() bool { return true }

// command makes one, by the script's hash or whole.
func (s *script) command(ctx context.Context, whole bool, keys []string, args []any) command {
	list := make([]any, 0, 3+len(keys)+len(args))
	if whole {
		list = append(list, "eval", s.text, len(keys))
	} else {
		list = append(list, "evalsha", s.hash, len(keys))
	}
	for _, k := range keys {
		list = append(list, k)
	}
	return command{redis.NewCmd(ctx, append(list, args...)...)}
}

// run runs a script on the keys of one slot, once more as a whole where the server does not
// know it.
func run(ctx context.Context, c redis.UniversalClient, s *script, keys []string, args ...any) ([]any, error) {
	var list []any
	var err error
	for _, whole := range [...]bool{false, true} {
		cmd := s.command(ctx, whole, keys, args)
		_ = c.Process(ctx, cmd) // the command has the error as well
		if list, err = cmd.Slice(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
			break
		}
	}
	lookAgain(ctx, c, err)
	return list, failure(ctx, err)
}

// lookAgain lets the client of a cluster ask who has which slots after a server did not
// answer. By itself it does so only once a minute, or where a server that answers sends it
// to another.
func lookAgain(ctx context.Context, c redis.UniversalClient, err error) {
	var said redis.Error
	if cluster, ok := c.(*redis.ClusterClient); ok && err != nil && !errors.As(err, &said) {
		cluster.ReloadState(ctx)
	}
}
