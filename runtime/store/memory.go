package store

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Defaults of the stores in memory.
const (
	DefaultMaxRecords = 100_000
	DefaultMaxBytes   = 64 << 20
)

// MemoryOptions bound a store in memory. Zero is the default of each.
type MemoryOptions struct {
	MaxRecords int
	// MaxBytes bounds the results and keys kept, in bytes.
	MaxBytes int64
}

// recordOverhead is about what a record costs beyond its texts and its result.
const recordOverhead = 256

// NewMemoryIdempotency is a store for one instance: what it knows ends with the
// process. When it is full it refuses new keys with [ErrFull] rather than drop
// one that still protects somebody.
func NewMemoryIdempotency(o MemoryOptions) Idempotency {
	if o.MaxRecords <= 0 {
		o.MaxRecords = DefaultMaxRecords
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return &memory{options: o, records: map[RecordID]*entry{}}
}

// memory implements Idempotency.
type memory struct {
	options MemoryOptions

	mu      sync.Mutex
	records map[RecordID]*entry
	bytes   int64
	// earliest is no later than the first end of any entry, so that a full
	// store is not searched in vain for each key that it refuses.
	earliest time.Time
}

// entry is a record with its owner and its end: that of the lease while it is in
// progress, that of the record after.
type entry struct {
	record Record
	owner  string
	until  time.Time
	size   int64
}

func (m *memory) Claim(ctx context.Context, id RecordID, fingerprint [32]byte, owner string, lease time.Duration) (Record, bool, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	old := m.records[id]
	if old != nil && now.Before(old.until) {
		if old.record.State != InProgress || old.owner != owner {
			return old.record.clone(), false, nil
		}
	}
	if old != nil {
		m.drop(id, old)
	}
	e := &entry{
		record: Record{State: InProgress, Fingerprint: fingerprint}, owner: owner, until: now.Add(lease),
		size: recordOverhead + int64(len(id.Scope)+len(id.Operation)+len(id.Key)+len(owner)),
	}
	if !m.makeRoom(now, 1, e.size) {
		return Record{}, false, ErrFull
	}
	m.add(id, e)
	return e.record.clone(), true, nil
}

func (m *memory) Extend(ctx context.Context, id RecordID, owner string, lease time.Duration) error {
	return m.change(ctx, id, owner, func(e *entry, now time.Time) error {
		m.endAt(e, now.Add(lease))
		return nil
	})
}

func (m *memory) Complete(ctx context.Context, id RecordID, owner string, result Result, ttl time.Duration) error {
	return m.change(ctx, id, owner, func(e *entry, now time.Time) error {
		size, lease := result.size(), e.until
		m.endAt(e, now.Add(ttl)) // or its ended lease would make it room for itself
		if !m.makeRoom(now, 0, size) {
			m.endAt(e, lease)
			return ErrFull
		}
		e.record.State, e.record.Result = Completed, result.clone()
		e.size += size
		m.bytes += size
		return nil
	})
}

func (m *memory) Spend(ctx context.Context, id RecordID, owner string, ttl time.Duration) error {
	return m.change(ctx, id, owner, func(e *entry, now time.Time) error {
		e.record.State = Spent
		m.endAt(e, now.Add(ttl))
		return nil
	})
}

func (m *memory) Release(ctx context.Context, id RecordID, owner string) error {
	return m.change(ctx, id, owner, func(e *entry, _ time.Time) error {
		m.drop(id, e)
		return nil
	})
}

// change does something to a record in progress if it is the owner's.
func (m *memory) change(ctx context.Context, id RecordID, owner string, f func(*entry, time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.records[id]
	if e == nil || e.owner != owner || e.record.State != InProgress {
		return ErrNotOwner
	}
	return f(e, time.Now())
}

// add puts an entry in. The lock is held.
func (m *memory) add(id RecordID, e *entry) {
	m.records[id] = e
	m.bytes += e.size
	m.endAt(e, e.until)
}

// endAt sets the end of an entry. The lock is held.
func (m *memory) endAt(e *entry, until time.Time) {
	e.until = until
	if m.earliest.IsZero() || until.Before(m.earliest) {
		m.earliest = until
	}
}

// drop takes an entry out. The lock is held.
func (m *memory) drop(id RecordID, e *entry) {
	delete(m.records, id)
	m.bytes -= e.size
}

// makeRoom sees to it that so many records and bytes more fit, and drops what has
// ended if it has to. The lock is held.
func (m *memory) makeRoom(now time.Time, records int, size int64) bool {
	if m.fits(records, size) {
		return true
	}
	if now.Before(m.earliest) {
		return false
	}
	m.earliest = time.Time{}
	for id, e := range m.records {
		if !now.Before(e.until) {
			m.drop(id, e)
			continue
		}
		if m.earliest.IsZero() || e.until.Before(m.earliest) {
			m.earliest = e.until
		}
	}
	return m.fits(records, size)
}

func (m *memory) fits(records int, size int64) bool {
	return len(m.records)+records <= m.options.MaxRecords && m.bytes+size <= m.options.MaxBytes
}

func (r Record) clone() Record {
	r.Result = r.Result.clone()
	return r
}

// clone copies a result, for what is kept must not change with the caller's. The values of
// all fields share one array; none of them can grow into the next one's.
func (r Result) clone() Result {
	var header []HeaderField
	if len(r.Header) > 0 {
		n := 0
		for _, f := range r.Header {
			n += len(f.Values)
		}
		var values []string
		header, values = room(len(r.Header), n)
		for i, f := range r.Header {
			begin := len(values)
			values = append(values, f.Values...)
			header[i] = HeaderField{Name: f.Name, Values: values[begin:len(values):len(values)]}
		}
	}
	return Result{Status: r.Status, Header: header, Body: slices.Clone(r.Body)}
}

// fewFields is how many fields, and values of theirs, results have at most that get room for
// both at once; most have a content type and a location.
const fewFields = 4

// room is that for fields and their values.
func room(fields, values int) (header []HeaderField, all []string) {
	if fields > fewFields || values > fewFields {
		return make([]HeaderField, fields), make([]string, 0, values)
	}
	both := new(struct {
		fields [fewFields]HeaderField
		values [fewFields]string
	})
	return both.fields[:fields:fields], both.values[:0]
}

func (r Result) size() int64 {
	n := len(r.Body)
	for _, f := range r.Header {
		n += len(f.Name)
		for _, v := range f.Values {
			n += len(v)
		}
	}
	return int64(n)
}
