//go:build linux

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// verdict is what the oracles say: all of it has to be zero.
type verdict struct {
	Doubled    int // payments that were made more than once
	Lost       int // payments that a client was told of and that are not there
	Differing  int // answers to a key that were not the first one
	Stale      int // writes that were accepted with a token that was not above the last
	Unbalanced int // accounts whose balance is not what their payments make
	Unanswered int // keys that have no answer after the faults
}

func (v verdict) good() bool { return v == verdict{} }

const (
	doubledQuery    = `SELECT count(*) FROM (SELECT FROM payment GROUP BY reference HAVING count(*) > 1) AS twice`
	staleQuery      = `SELECT count(*) FROM token WHERE after <= before`
	unbalancedQuery = `SELECT count(*) FROM account AS a WHERE balance <> $initial
+ (SELECT coalesce(sum(amount), 0) FROM payment WHERE payee = a.id) - (SELECT coalesce(sum(amount), 0) FROM payment WHERE payer = a.id)`
)

// look asks the oracles that can be asked at any time.
func (c *cluster) look(ctx context.Context, l *load) (v verdict, err error) {
	for _, o := range []struct {
		into  *int
		query string
	}{
		{&v.Doubled, doubledQuery},
		{&v.Stale, staleQuery},
		{&v.Unbalanced, strings.Replace(unbalancedQuery, "$initial", strconv.Itoa(initialBalance), 1)},
	} {
		if *o.into, err = c.count(ctx, o.query); err != nil {
			return v, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v.Differing = l.differ
	return v, nil
}

// judge asks all oracles, after the faults.
func (c *cluster) judge(ctx context.Context, l *load) (verdict, error) {
	v, err := c.look(ctx, l)
	if err != nil {
		return v, err
	}
	rows, err := c.db.QueryContext(ctx, `SELECT id, reference FROM payment`)
	if err != nil {
		return v, err
	}
	defer func() { _ = rows.Close() }()
	there := make(map[int64]string)
	for rows.Next() {
		var id int64
		var reference string
		if err := rows.Scan(&id, &reference); err != nil {
			return v, err
		}
		there[id] = reference
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for reference, id := range l.paid {
		if there[id] != reference {
			v.Lost++
		}
	}
	v.Unanswered = len(l.open)
	return v, rows.Err()
}

// report is a run with its verdict.
type report struct {
	Seed     uint64
	For      time.Duration
	Without  guard
	Keys     int
	Calls    int
	Failed   int
	Tries    int
	Replayed int
	Payments int
	Tokens   int // statements written
	Faults   map[string]int
	Verdict  verdict
}

// String has a line for each figure.
func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %s of faults", r.Seed, r.For.Round(time.Second))
	if r.Without != "" {
		fmt.Fprintf(&b, ", without the guard %q", r.Without)
	}
	fmt.Fprintf(&b, "\nfaults:")
	for _, name := range slices.Sorted(maps.Keys(r.Faults)) {
		fmt.Fprintf(&b, " %s %d,", name, r.Faults[name])
	}
	fmt.Fprintf(&b, "\n%d keys in %d calls (%d failed) of %d tries, %d answers replayed\n", r.Keys, r.Calls, r.Failed, r.Tries, r.Replayed)
	fmt.Fprintf(&b, "%d payments, %d statements written\n", r.Payments, r.Tokens)
	v := r.Verdict
	fmt.Fprintf(&b, "effects doubled:              %d\n", v.Doubled)
	fmt.Fprintf(&b, "acknowledged effects lost:    %d\n", v.Lost)
	fmt.Fprintf(&b, "answers that differ:          %d\n", v.Differing)
	fmt.Fprintf(&b, "stale holders' writes taken:  %d\n", v.Stale)
	fmt.Fprintf(&b, "accounts that do not add up:  %d\n", v.Unbalanced)
	fmt.Fprintf(&b, "keys without an answer:       %d\n", v.Unanswered)
	return b.String()
}
