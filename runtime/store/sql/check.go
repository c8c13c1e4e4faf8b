package sqlstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
)

// SchemaError is what is wrong with the tables: one is missing or older than this version,
// or the user of the database may not write it.
type SchemaError struct {
	Dialect Dialect
	Err     error // what the database says
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("sqlstore: the tables in the database are not as this version needs them: %v\n"+
		"Apply what this prints, as a user who may create tables, and grant them to the program's user:\n"+
		"    holdfast schema --dialect %s", e.Err, e.Dialect)
}

// Unwrap is what the database says.
func (e *SchemaError) Unwrap() error { return e.Err }

// Check is for the start of a program: it runs every statement of the store in a
// transaction that it rolls back. The error is a [*SchemaError] where the tables are at
// fault, with the command that prints them, and otherwise what the database says.
func (s *Store) Check(ctx context.Context) error {
	err := s.check(ctx)
	if s.dialect.fault(err) == schema {
		return &SchemaError{s.dialect, err}
	}
	return err
}

func (s *Store) check(ctx context.Context) error {
	t, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	// The key is a new one, so that two instances that start do not meet.
	id := store.RecordID{Operation: "check", Key: rand.Text()}
	if _, _, err := t.Claim(ctx, id, [32]byte{}, time.Minute); err != nil {
		return err
	}
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{s.do.extend, []any{t.key, owner, time.Minute.Microseconds()}},
		{s.do.complete, completion(t.key, owner, store.Result{Status: 200, Body: []byte("x")}, time.Minute)},
	} {
		if err := s.changeIn(ctx, t.tx, step.statement, step.args...); err != nil {
			return err
		}
	}
	if _, err := s.read(ctx, t.tx, t.key); err != nil {
		return err
	}
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{s.do.spend, []any{t.key, "nobody", int64(0)}},
		{s.do.release, []any{t.key, "nobody"}},
		{s.do.clean, []any{0, int64(0)}},
	} {
		if _, err := t.tx.ExecContext(ctx, step.statement, step.args...); err != nil {
			return err
		}
	}
	return nil
}
