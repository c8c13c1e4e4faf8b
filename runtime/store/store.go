// Package store holds the interfaces behind which state lives that several
// instances of a server may share, and the stores in memory for one instance.
// Package storetest has the suite that every implementation passes.
package store

import (
	"context"
	"errors"
	"time"
)

// ErrNotOwner is given to one who no longer holds what it wants to change.
var ErrNotOwner = errors.New("store: not the owner")

// ErrFull is given when a bounded store has no room and nothing in it may be
// dropped.
var ErrFull = errors.New("store: full")

// RecordID names the record of an idempotency key.
type RecordID struct {
	// Scope is whose key it is; empty for everybody's.
	Scope     string
	Operation string
	Key       string
}

// RecordState is the state of a record.
type RecordState uint8

// States of a record.
const (
	// Absent: there is no record, or it has expired.
	Absent RecordState = iota
	// InProgress: somebody has claimed the key and its lease has not ended.
	InProgress
	// Completed: there is a result to replay.
	Completed
	// Spent: the work was done, but its result was not kept.
	Spent
)

// Record is what a store knows about a key.
type Record struct {
	State RecordState
	// Fingerprint identifies the request that claimed the key.
	Fingerprint [32]byte
	// Result is that of a Completed record.
	Result Result
}

// Result is a response to replay. Bodies are raw bytes.
type Result struct {
	Status int
	Header []HeaderField
	Body   []byte
}

// HeaderField is one header with its values in order.
type HeaderField struct {
	Name   string
	Values []string
}

// Idempotency keeps the records of idempotency keys. Each method is one atomic
// step by the store's own clock. Extend, Complete, Spend and Release change
// nothing and return [ErrNotOwner] unless the record is in progress and owned by
// the given owner: a slow first run must not destroy its successor's record. (A
// lease that has ended is still its owner's until somebody else takes it.)
// Implementations are safe for concurrent use and keep no reference to what they
// are given nor to what they return.
type Idempotency interface {
	// Claim takes the key for an owner when there is no record, when it has
	// expired, or when it is in progress and its lease has ended; claimed is
	// true then. The same owner may claim again, for a claim that timed out may
	// have been made. Otherwise the record as it stands is returned.
	Claim(ctx context.Context, id RecordID, fingerprint [32]byte, owner string, lease time.Duration) (r Record, claimed bool, err error)
	// Extend makes the lease end that long from now.
	Extend(ctx context.Context, id RecordID, owner string, lease time.Duration) error
	// Complete keeps the result for ttl.
	Complete(ctx context.Context, id RecordID, owner string, result Result, ttl time.Duration) error
	// Spend keeps the key for ttl without a result.
	Spend(ctx context.Context, id RecordID, owner string, ttl time.Duration) error
	// Release frees the key.
	Release(ctx context.Context, id RecordID, owner string) error
}
