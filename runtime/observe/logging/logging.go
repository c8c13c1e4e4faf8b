// Package logging writes the events of clients and servers with log/slog.
//
// Each event is one record whose message is its name, see the table of package observe's
// README. What goes as it should is at debug, what holdfast had to act on at info, what
// callers will notice at warn, and what an operator has to mend at error. What a mode of
// shadow only watched is at info.
//
// A record holds no idempotency key, no value of a key of a breaker or limit, no body and
// no header; addresses in errors lose their user, query and fragment, and errors are cut
// at [MaxError] bytes. Nothing is made of an event whose level the handler does not take.
package logging

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// MaxError bounds the text of an error in a record, in bytes.
const MaxError = 512

// Hooks log to l, for client.Observe and server.Observe; nil is [slog.Default] as it is at
// each event. They are safe for concurrent use.
func Hooks(l *slog.Logger) *observe.Hooks {
	w := writer{l}
	return &observe.Hooks{
		AttemptEnd: w.attempt, Wait: w.wait, Reject: w.reject, Queued: w.queued, Hedge: w.hedge, Cache: w.cache,
		Fallback: w.fallback, BreakerChange: w.breaker, Replay: w.replay, StoreFail: w.store, CallEnd: w.call, PolicyReload: w.reload,
	}
}

type writer struct{ to *slog.Logger }

func (w writer) logger() *slog.Logger {
	if w.to == nil {
		return slog.Default()
	}
	return w.to
}

// on reports whether a record of the level is wanted.
func (w writer) on(ctx context.Context, level slog.Level) bool { return w.logger().Enabled(ctx, level) }

// log writes a record, without the attributes that are zero.
func (w writer) log(ctx context.Context, level slog.Level, name string, attrs ...slog.Attr) {
	kept := attrs[:0]
	for _, a := range attrs {
		if a.Key != "" {
			kept = append(kept, a)
		}
	}
	w.logger().LogAttrs(ctx, level, name, kept...)
}

func (w writer) attempt(ctx context.Context, e observe.AttemptEnd) {
	if w.on(ctx, slog.LevelDebug) {
		w.log(ctx, slog.LevelDebug, "attempt", slog.String("op", e.Op), slog.Int("attempt", e.Number), slog.Duration("duration", e.Duration),
			number("status", e.Status), failure("error", e.Err), flag("would_time_out", e.WouldTimeOut))
	}
}

func (w writer) wait(ctx context.Context, e observe.Wait) {
	level := slog.LevelInfo
	if e.Reason == observe.RateLimit {
		level = slog.LevelDebug // by plan
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "wait", slog.String("op", e.Op), slog.Int("attempt", e.Attempt), slog.String("reason", e.Reason.String()),
			slog.Duration("for", e.For), number("status", e.Status), failure("error", e.Err))
	}
}

func (w writer) reject(ctx context.Context, e observe.Reject) {
	level := slog.LevelWarn
	if e.Shadow {
		level = slog.LevelInfo
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "reject", slog.String("op", e.Op), slog.String("name", e.Name), slog.String("reason", e.Reason.String()),
			moment("retry_at", e.RetryAt), flag("shadow", e.Shadow))
	}
}

func (w writer) queued(ctx context.Context, e observe.Queued) {
	level := slog.LevelDebug
	if !e.Admitted {
		level = slog.LevelInfo
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "queued", slog.String("op", e.Op), slog.String("name", e.Name), slog.Duration("for", e.For),
			slog.Bool("admitted", e.Admitted), flag("outside", e.Outside))
	}
}

func (w writer) hedge(ctx context.Context, e observe.Hedge) {
	if w.on(ctx, slog.LevelDebug) {
		w.log(ctx, slog.LevelDebug, "hedge", slog.String("op", e.Op), slog.String("what", e.What), slog.Int("number", e.Number),
			slog.Duration("after", e.After))
	}
}

func (w writer) cache(ctx context.Context, e observe.Cache) {
	level := slog.LevelDebug
	if e.Err != nil {
		level = slog.LevelWarn
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "cache", slog.String("op", e.Op), slog.Bool("hit", e.Hit), text("forward", e.Forward), text("detail", e.Detail),
			flag("stored", e.Stored), flag("collapsed", e.Collapsed), flag("shadow", e.Shadow), failure("error", e.Err))
	}
}

func (w writer) fallback(ctx context.Context, e observe.Fallback) {
	level := slog.LevelInfo
	if e.What == "failed" {
		level = slog.LevelWarn
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "fallback", slog.String("op", e.Op), slog.String("rung", e.Rung), slog.String("what", e.What),
			failure("cause", e.Cause), failure("error", e.Err))
	}
}

func (w writer) breaker(e observe.BreakerChange) {
	ctx, level := context.Background(), slog.LevelInfo
	if e.To == observe.Open && !e.Shadow {
		level = slog.LevelWarn
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "breaker", slog.String("name", e.Group), slog.String("from", e.From.String()), slog.String("to", e.To.String()),
			moment("until", e.Until), flag("shadow", e.Shadow))
	}
}

func (w writer) replay(ctx context.Context, e observe.Replay) {
	if w.on(ctx, slog.LevelInfo) {
		w.log(ctx, slog.LevelInfo, "replay", slog.String("op", e.Op), slog.Int("status", e.Status))
	}
}

func (w writer) store(ctx context.Context, e observe.StoreFail) {
	if w.on(ctx, slog.LevelError) {
		w.log(ctx, slog.LevelError, "store", slog.String("op", e.Op), slog.String("what", e.What), failure("error", e.Err))
	}
}

func (w writer) call(ctx context.Context, e observe.CallEnd) {
	level := levelOf(&e)
	if !w.on(ctx, level) {
		return
	}
	var kind, stop slog.Attr
	if f, ok := errors.AsType[*fault.Error](e.Err); ok {
		kind = slog.String("kind", f.Kind.String())
		if f.Stop != fault.StopNone {
			stop = slog.String("gave_up", f.Stop.String())
		}
	}
	w.log(ctx, level, "call", slog.String("op", e.Op), slog.Int("attempts", e.Attempts), slog.Duration("duration", e.Duration),
		span("waited", e.Waited), number("status", e.Status), kind, stop, failure("error", e.Err))
}

// levelOf tells a call that succeeded, or that its caller has given up, from one that was
// refused for its own fault and one that failed.
func levelOf(e *observe.CallEnd) slog.Level {
	switch {
	case e.Err == nil && e.Status < http.StatusInternalServerError, errors.Is(e.Err, context.Canceled):
		return slog.LevelDebug
	case e.Status > 0 && e.Status < http.StatusInternalServerError:
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

func (w writer) reload(e observe.PolicyReload) {
	ctx, level := context.Background(), slog.LevelInfo
	if e.Err != nil {
		level = slog.LevelError
	}
	if w.on(ctx, level) {
		w.log(ctx, level, "policy", slog.String("file", e.File), failure("error", e.Err))
	}
}

// The attributes of zero values are left out.

func number(key string, n int) slog.Attr {
	if n == 0 {
		return slog.Attr{}
	}
	return slog.Int(key, n)
}

func flag(key string, on bool) slog.Attr {
	if !on {
		return slog.Attr{}
	}
	return slog.Bool(key, true)
}

func text(key, s string) slog.Attr {
	if s == "" {
		return slog.Attr{}
	}
	return slog.String(key, s)
}

func span(key string, d time.Duration) slog.Attr {
	if d == 0 {
		return slog.Attr{}
	}
	return slog.Duration(key, d)
}

func moment(key string, t time.Time) slog.Attr {
	if t.IsZero() {
		return slog.Attr{}
	}
	return slog.Time(key, t)
}

// failure is an error without what addresses keep secret.
func failure(key string, err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	s := fault.Redact(err.Error())
	if len(s) > MaxError {
		end := MaxError - len("…")
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	return slog.String(key, s)
}
