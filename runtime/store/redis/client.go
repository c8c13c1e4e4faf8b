package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// DefaultPrefix begins the names of all keys where nothing else is said.
const DefaultPrefix = "holdfast"

// Options are common to the stores. The zero value is ready for use.
type Options struct {
	// Prefix begins the names of all keys; empty is [DefaultPrefix]. Stores with the same
	// prefix share what they hold. It may have no braces, which place keys in a cluster.
	Prefix string
}

// prefix is what keys of a kind begin with.
func (o Options) prefix(kind string) (string, error) {
	if strings.ContainsAny(o.Prefix, "{}") {
		return "", fmt.Errorf("redisstore: the prefix %q has braces, which would place all keys in one slot of a cluster", o.Prefix)
	}
	if o.Prefix == "" {
		return DefaultPrefix + ":" + kind + ":", nil
	}
	return o.Prefix + ":" + kind + ":", nil
}

// open checks what every constructor is given.
func open(c redis.UniversalClient, o Options, kind string) (string, error) {
	if err := checkClient(c); err != nil {
		return "", err
	}
	return o.prefix(kind)
}

// checkClient refuses the settings of a client that the package's documentation warns of.
// A client of a kind that does not show its settings is taken as it is.
func checkClient(c redis.UniversalClient) error {
	var obeys bool
	var retries int
	switch c := c.(type) {
	case nil:
		return errors.New("redisstore: the client is nil")
	case *redis.Client:
		if c == nil {
			return errors.New("redisstore: the client is nil")
		}
		obeys, retries = c.Options().ContextTimeoutEnabled, c.Options().MaxRetries
	case *redis.ClusterClient:
		if c == nil {
			return errors.New("redisstore: the client is nil")
		}
		obeys, retries = c.Options().ContextTimeoutEnabled, c.Options().MaxRetries
	case *redis.Ring:
		if c == nil {
			return errors.New("redisstore: the client is nil")
		}
		obeys, retries = c.Options().ContextTimeoutEnabled, c.Options().MaxRetries
	default:
		return nil
	}
	switch {
	case !obeys:
		return errors.New("redisstore: set ContextTimeoutEnabled in the client's options, or calls outlast their contexts")
	case retries > 0:
		return errors.New("redisstore: set MaxRetries to -1 in the client's options, or a step whose answer is lost is made twice")
	}
	return nil
}

// name is a digest of parts, each with its length before it so that no two lists are one:
// names of keys have a bounded length, and no text of a caller stands in them.
func name(parts ...string) string {
	h := sha256.New()
	var length [binary.MaxVarintLen64]byte
	for _, p := range parts {
		h.Write(binary.AppendUvarint(length[:0], uint64(len(p))))
		h.Write([]byte(p))
	}
	// 16 bytes are as good as a UUID, and half as long as all.
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// millis is a time in whole milliseconds, rounded up so that nothing ends early, and one
// at least, for Redis takes no other.
func millis(d time.Duration) int64 {
	return max(1, int64((d+time.Millisecond-1)/time.Millisecond))
}

// failure is an error of the client as callers see it. The deadline of a context ends a
// read of the network a moment before it ends the context; both are the context's end.
func failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	cause := ctx.Err()
	if deadline, ok := ctx.Deadline(); ok && cause == nil && errors.Is(err, os.ErrDeadlineExceeded) && time.Until(deadline) < 10*time.Millisecond {
		cause = context.DeadlineExceeded
	}
	if cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("redisstore: %w: %w", cause, err)
	}
	return fmt.Errorf("redisstore: %w", err)
}

// errReply is for what no script of this package answers.
var errReply = errors.New("redisstore: the server's answer has another form than that of the script")

// number is an integer of a reply.
func number(list []any, i int) (int64, error) {
	if i < len(list) {
		if n, ok := list[i].(int64); ok {
			return n, nil
		}
	}
	return 0, errReply
}

// text is a string of a reply; it may be binary.
func text(list []any, i int) (string, error) {
	if i < len(list) {
		if s, ok := list[i].(string); ok {
			return s, nil
		}
	}
	return "", errReply
}
