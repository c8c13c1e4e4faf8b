package sqlstore

import (
	"context"
	"time"
)

// Bounds of cleaning.
const (
	// cleanBatch is how many rows one statement deletes: locks are held shortly, and a
	// replica can follow.
	cleanBatch = 500
	// abandoned is after how long a claim whose lease has ended is deleted. Its owner may
	// come late, but not that late.
	abandoned = 24 * time.Hour
)

// Clean deletes records that have expired, in batches of 500 rows, each a transaction of
// its own, until there are no more or the context ends. It returns how many. Several
// instances can do it at once. Expired records do no harm but take room: a claim takes the
// place of an expired one anyway.
func (s *Store) Clean(ctx context.Context) (int64, error) {
	return s.clean(ctx, cleanBatch, abandoned)
}

func (s *Store) clean(ctx context.Context, batch int, grace time.Duration) (total int64, err error) {
	for {
		var n int64
		err := s.persist(ctx, func() (err error) {
			n, err = affected(s.db.ExecContext(ctx, s.do.clean, batch, grace.Microseconds()))
			return err
		})
		total += n
		if err != nil || n < int64(batch) {
			return total, err
		}
	}
}

// KeepClean calls Clean at once and then once in each interval, until the context ends,
// whose error it returns. What it deleted and what went wrong is told to report, which may
// be nil; after an error it goes on. Run it in a goroutine of one or of all instances.
func (s *Store) KeepClean(ctx context.Context, every time.Duration, report func(deleted int64, err error)) error {
	tick := time.NewTicker(max(every, time.Second))
	defer tick.Stop()
	for {
		n, err := s.Clean(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if report != nil {
			report(n, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
