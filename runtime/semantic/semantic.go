package semantic

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Embedder gives the embedding of a text: a vector whose direction is the text's meaning.
// All vectors of one embedder have as many dimensions. It is safe for concurrent use and
// returns when the context ends.
type Embedder interface {
	Embed(ctx context.Context, text string) ([]float32, error)
}

// BatchEmbedder gives the embeddings of many texts at once, in their order. Most services
// take lists; an embedder that uses them finds more in the time that a rescue has.
type BatchEmbedder interface {
	Embedder
	EmbedBatch(ctx context.Context, texts []string) ([][]float32, error)
}

// EmbedFunc is a function as an [Embedder].
type EmbedFunc func(ctx context.Context, text string) ([]float32, error)

// Embed calls f.
func (f EmbedFunc) Embed(ctx context.Context, text string) ([]float32, error) { return f(ctx, text) }

// Answer is what is kept and given again. Whoever gets one must not change it.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// size is about what an answer takes in memory.
func (a *Answer) size() int64 {
	n := len(a.Body)
	for name, lines := range a.Header {
		n += len(name) + 32
		for _, line := range lines {
			n += len(line) + 16
		}
	}
	return int64(n)
}

// ErrNothing is the error of a question that is not near enough to any that was asked.
var ErrNothing = errors.New("semantic: no similar question was answered")

// Cache keeps answers. It is safe for concurrent use; see [New].
type Cache struct {
	embedder Embedder
	settings settings

	mu    sync.Mutex
	bytes int64
	clock uint64     // counts uses
	order *list.List // of *entry, the one used last in front
	kinds map[kind]*group
}

// group are the entries that are compared with each other.
type group struct {
	entries map[[sha256.Size]byte]*entry // by the digest of their text
	filling chan struct{}                // holds a value while somebody embeds the group's texts
}

// entry is one answer. All but the vector is set when it is made; the vector is set once.
type entry struct {
	kind   kind
	digest [sha256.Size]byte
	text   string // empty when it is embedded
	vector vector
	failed uint64 // how often embedding has failed
	used   uint64
	until  time.Time
	answer Answer
	size   int64
	at     *list.Element
}

// overhead is about what an entry takes besides its texts and numbers.
const overhead = 512

// New is an empty cache.
func New(embedder Embedder, opts ...Option) (*Cache, error) {
	if embedder == nil {
		return nil, errors.New("semantic: the embedder is nil")
	}
	s := settings{
		ttl: DefaultTTL, maxEntries: DefaultMaxEntries, maxBytes: DefaultMaxBytes, maxText: DefaultMaxText,
		pointers: [][]string{{"messages"}, {"prompt"}, {"input"}},
	}
	var wrong []error
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o(&s); err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return &Cache{embedder: embedder, settings: s, order: list.New(), kinds: map[kind]*group{}}, nil
}

// Store keeps the answer to a question, in place of an earlier one to the same text. It
// keeps only answers with a status of 2xx and a body, and embeds nothing. The answer must
// not be changed after it.
func (c *Cache) Store(q *Question, a Answer) {
	if q.text == "" || a.Status/100 != 2 || len(a.Body) == 0 {
		return
	}
	now := time.Now()
	e := &entry{
		kind: q.kind, digest: q.digest, text: q.text, until: now.Add(c.settings.ttl), answer: a,
		size: a.size() + int64(len(q.text)+len(q.kind.operation)+len(q.kind.principal)) + overhead,
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.kinds[q.kind]
	if g != nil {
		if old := g.entries[q.digest]; old != nil {
			// The same text has the same vector.
			if old.text == "" {
				e.text, e.vector, e.size = "", old.vector, e.size-int64(len(q.text))+old.vector.size()
			}
			c.drop(old)
			g = c.kinds[q.kind]
		}
	}
	if e.size > c.settings.maxBytes/8 {
		return
	}
	if g == nil {
		g = &group{entries: map[[sha256.Size]byte]*entry{}, filling: make(chan struct{}, 1)}
		c.kinds[q.kind] = g
	}
	g.entries[q.digest] = e
	e.at = c.order.PushFront(e)
	c.bytes += e.size
	c.touch(e)
	c.trim()
}

func (v *vector) size() int64 { return 4 * int64(len(v.parts)) }

// touch notes a use. The lock is held.
func (c *Cache) touch(e *entry) {
	c.clock++
	e.used = c.clock
	c.order.MoveToFront(e.at)
}

// trim drops what is beyond the bounds. The lock is held.
func (c *Cache) trim() {
	for c.order.Len() > c.settings.maxEntries || c.bytes > c.settings.maxBytes {
		last, ok := c.order.Back().Value.(*entry)
		if !ok {
			return
		}
		c.drop(last)
	}
}

// drop takes an entry out. The lock is held.
func (c *Cache) drop(e *entry) {
	c.order.Remove(e.at)
	c.bytes -= e.size
	g := c.kinds[e.kind]
	delete(g.entries, e.digest)
	if len(g.entries) == 0 {
		delete(c.kinds, e.kind)
	}
}

// Stats is what a cache holds at one moment.
type Stats struct {
	Entries  int
	Embedded int // of the entries
	Bytes    int64
}

// Stats counts the entries. Those whose time is over count until they are met.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stats{Entries: c.order.Len(), Bytes: c.bytes}
	for _, g := range c.kinds {
		for _, e := range g.entries {
			if e.text == "" {
				s.Embedded++
			}
		}
	}
	return s
}

// Clear drops everything.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.kinds)
	c.bytes = 0
}
