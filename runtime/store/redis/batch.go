package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// step is a script in a batch, on the keys of one slot.
type step struct {
	script *redis.Script
	keys   []string
	args   []any

	list []any
	err  error
}

// runAll runs steps in one round trip, or one for each node of a cluster. Each succeeds or
// fails by itself. Those whose script the server does not know did nothing, and go a second
// time with the script's text: a pipeline has nobody else who does that.
func runAll(ctx context.Context, c redis.UniversalClient, steps []*step) {
	if unknown := send(ctx, c, steps, (*redis.Script).EvalSha); len(unknown) > 0 {
		send(ctx, c, unknown, (*redis.Script).Eval)
	}
}

// sender is a way to send a script.
type sender func(*redis.Script, context.Context, redis.Scripter, []string, ...any) *redis.Cmd

// send sends steps and returns those whose scripts are not known.
func send(ctx context.Context, c redis.UniversalClient, steps []*step, form sender) (unknown []*step) {
	p := c.Pipeline()
	commands := make([]*redis.Cmd, len(steps))
	for i, s := range steps {
		commands[i] = form(s.script, ctx, p, s.keys, s.args...)
	}
	_, all := p.Exec(ctx) // that of the first command that failed, or of the connection
	for i, s := range steps {
		list, err := commands[i].Slice()
		if err == nil && list == nil && all != nil {
			err = all // it was never sent
		}
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			unknown = append(unknown, s)
		}
		s.list, s.err = list, failure(ctx, err)
	}
	return unknown
}
