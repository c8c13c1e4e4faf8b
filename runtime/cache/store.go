package cache

import (
	"container/list"
	"context"
	"net/http"
	"slices"
	"sync"
)

// Store keeps entries. Implementations are safe for concurrent use and give entries that
// nobody changes. One that fails is a cache that holds nothing: errors are told with the
// events, and requests go to the origin.
type Store interface {
	// Get gives the variants under a key, in any order; none is no error.
	Get(ctx context.Context, k Key) ([]*Entry, error)
	// Put stores an entry in place of the one with the same variant.
	Put(ctx context.Context, k Key, e *Entry) error
	// Remove drops one variant, which need not be there.
	Remove(ctx context.Context, k Key, e *Entry) error
	// Invalidate drops everything within a scope.
	Invalidate(ctx context.Context, s Scope) error
}

// Scope is what is dropped: the entries whose keys have all the members that are set. The
// zero Scope is nothing.
type Scope struct {
	Resource  string
	Operation string
	// Principal counts where OfPrincipal is set, for it may be empty.
	Principal   string
	OfPrincipal bool
	// Matches, where it is set, leaves out the keys whose resource it is false for. A
	// store that cannot ask it drops more than it has to, which does no harm.
	Matches func(resource string) bool
	// Fields, where it is set, leaves out the entries that a request with another value of
	// one of these fields of its header chose. An entry that none of them chose, or whose
	// request did not have the field, is dropped. A store that cannot look into its entries
	// drops more than it has to, here as well.
	Fields http.Header
}

// spares reports whether an entry within a scope stays for what its request had.
func (s *Scope) spares(e *Entry) bool {
	if len(s.Fields) == 0 {
		return false
	}
	for _, v := range e.Vary {
		lines, asked := s.Fields[v.Name]
		if asked && v.Value != absent && v.Value != normal(v.Name, lines) {
			return true
		}
	}
	return false
}

// within reports whether a key is in a scope.
func (k *Key) within(s *Scope) bool {
	if s.Resource == "" && s.Operation == "" {
		return false
	}
	return (s.Resource == "" || s.Resource == k.Resource) && (s.Operation == "" || s.Operation == k.Operation) &&
		(!s.OfPrincipal || s.Principal == k.Principal) && (s.Matches == nil || s.Matches(k.Resource))
}

const (
	// DefaultMaxBytes is the size of a [Memory] that has none set.
	DefaultMaxBytes = 64 << 20
	// maxVariants bounds the variants of one key: who can choose the fields of a request
	// must not fill the store through one address.
	maxVariants = 64
)

// Memory is a store in memory that drops what was not used for longest when it is full.
// The zero value is ready for use and holds [DefaultMaxBytes].
type Memory struct {
	// MaxBytes bounds what is held, by [Entry.Size]; zero is [DefaultMaxBytes]. It is set
	// before the first use.
	MaxBytes int64

	mu    sync.Mutex
	bytes int64
	order list.List // of *item, the one used last in front
	keys  map[Key]*bucket
	// byResource and byOperation find the keys of a scope.
	byResource, byOperation map[string]map[Key]struct{}
}

// bucket holds the variants of one key.
type bucket struct{ items []*item }

// item is one entry in the order of use.
type item struct {
	key   Key
	entry *Entry
	size  int64
	at    *list.Element
}

// Get is that of [Store].
func (m *Memory) Get(_ context.Context, k Key) ([]*Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.keys[k]
	if b == nil {
		return nil, nil
	}
	out := make([]*Entry, len(b.items))
	for i, it := range b.items {
		out[i] = it.entry
		m.order.MoveToFront(it.at)
	}
	return out, nil
}

// Put is that of [Store]. What is larger than an eighth of all is not kept.
func (m *Memory) Put(_ context.Context, k Key, e *Entry) error {
	limit := m.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	size := e.Size() + int64(len(k.Resource)+len(k.Operation)+len(k.Principal)+len(k.Rest))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(k, e.variant())
	if size > limit/8 {
		return nil
	}
	b := m.keys[k]
	if b != nil && len(b.items) >= maxVariants {
		m.drop(b.items[0])
	}
	if b = m.keys[k]; b == nil {
		b = new(bucket)
		if m.keys == nil {
			m.keys = map[Key]*bucket{}
			m.byResource, m.byOperation = map[string]map[Key]struct{}{}, map[string]map[Key]struct{}{}
		}
		m.keys[k] = b
		index(m.byResource, k.Resource, k)
		index(m.byOperation, k.Operation, k)
	}
	it := &item{key: k, entry: e, size: size}
	it.at = m.order.PushFront(it)
	b.items = append(b.items, it)
	m.bytes += size
	for m.bytes > limit {
		m.drop(m.order.Back().Value.(*item))
	}
	return nil
}

// Remove is that of [Store].
func (m *Memory) Remove(_ context.Context, k Key, e *Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(k, e.variant())
	return nil
}

// Invalidate is that of [Store].
func (m *Memory) Invalidate(_ context.Context, s Scope) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := m.byResource[s.Resource]
	if s.Resource == "" {
		keys = m.byOperation[s.Operation]
	}
	for k := range keys {
		if !k.within(&s) {
			continue
		}
		for _, it := range slices.Clone(m.keys[k].items) {
			if !s.spares(it.entry) {
				m.drop(it)
			}
		}
	}
	return nil
}

// Bytes is about what the store holds, and Len the number of entries.
func (m *Memory) Bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes
}

// Len is the number of entries.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.order.Len()
}

// remove drops a variant if it is there. The lock is held.
func (m *Memory) remove(k Key, variant string) {
	b := m.keys[k]
	if b == nil {
		return
	}
	for _, it := range b.items {
		if it.entry.variant() == variant {
			m.drop(it)
			return
		}
	}
}

// drop takes an entry out. The lock is held.
func (m *Memory) drop(it *item) {
	m.order.Remove(it.at)
	m.bytes -= it.size
	b := m.keys[it.key]
	for i, other := range b.items {
		if other == it {
			b.items = append(b.items[:i:i], b.items[i+1:]...)
			break
		}
	}
	if len(b.items) > 0 {
		return
	}
	delete(m.keys, it.key)
	unindex(m.byResource, it.key.Resource, it.key)
	unindex(m.byOperation, it.key.Operation, it.key)
}

func index(by map[string]map[Key]struct{}, name string, k Key) {
	if name == "" {
		return
	}
	if by[name] == nil {
		by[name] = map[Key]struct{}{}
	}
	by[name][k] = struct{}{}
}

func unindex(by map[string]map[Key]struct{}, name string, k Key) {
	delete(by[name], k)
	if len(by[name]) == 0 {
		delete(by, name)
	}
}
