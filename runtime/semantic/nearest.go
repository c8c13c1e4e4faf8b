package semantic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// batch is how many texts are embedded at a time, so that what is done when the time is
// over is not lost.
const batch = 64

// maxFailures ends the embedding of stored texts in one rescue: an embedder that fails
// this often is down.
const maxFailures = 3

// Nearest gives the answer to the nearest question whose cosine with this one is at least
// the similarity, and that cosine. The error is [ErrNothing], or that of the embedder.
//
// The context bounds the embedding. Three quarters of what it leaves are for the texts
// that are stored; when they are over, what is embedded by then is compared.
func (c *Cache) Nearest(ctx context.Context, q *Question, similarity float64) (Answer, float64, error) {
	if a, ok := c.same(q); ok {
		return a, 1, nil
	}
	g := c.group(q)
	if g == nil {
		return Answer{}, 0, ErrNothing
	}
	parts, err := c.embedder.Embed(ctx, q.text)
	if err != nil {
		return Answer{}, 0, fmt.Errorf("semantic: embedding the question: %w", err)
	}
	v, err := newVector(parts)
	if err != nil {
		return Answer{}, 0, fmt.Errorf("semantic: %w", err)
	}
	filled := c.fill(ctx, g)
	best, cos := c.search(g, &v)
	if best == nil || cos < similarity-rounding {
		if filled != nil {
			return Answer{}, 0, fmt.Errorf("%w among those that could be compared: %w", ErrNothing, filled)
		}
		return Answer{}, 0, ErrNothing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds(best) {
		c.touch(best)
	}
	return best.answer, cos, nil
}

// same is the answer to the very same text, which needs no embedding.
func (c *Cache) same(q *Question) (Answer, bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.kinds[q.kind]
	if g == nil {
		return Answer{}, false
	}
	e := g.entries[q.digest]
	if e == nil || !now.Before(e.until) {
		return Answer{}, false
	}
	c.touch(e)
	return e.answer, true
}

// group is that of a question, without what is too old.
func (c *Cache) group(q *Question) *group {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.kinds[q.kind]
	if g == nil {
		return nil
	}
	for _, e := range g.entries {
		if !now.Before(e.until) {
			c.drop(e)
		}
	}
	return c.kinds[q.kind]
}

// holds reports whether an entry is still in the cache. The lock is held.
func (c *Cache) holds(e *entry) bool {
	g := c.kinds[e.kind]
	return g != nil && g.entries[e.digest] == e
}

// search compares a vector with all of a group. Vectors do not change once they are set,
// so that nobody has to wait for it.
func (c *Cache) search(g *group, v *vector) (*entry, float64) {
	type candidate struct {
		*entry
		vector
		used uint64
	}
	c.mu.Lock()
	list := make([]candidate, 0, len(g.entries))
	for _, e := range g.entries {
		if e.text == "" {
			list = append(list, candidate{e, e.vector, e.used})
		}
	}
	c.mu.Unlock()
	// Of two that are as near, the one used last counts, not the one that a map gives first.
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.used, a.used) })
	var best *entry
	nearest := 0.0
	for i := range list {
		if cos := cosine(v, &list[i].vector); best == nil || cos > nearest {
			best, nearest = list[i].entry, cos
		}
	}
	return best, nearest
}

// fill embeds texts of a group, one caller at a time: an outage fails many calls at once,
// and their texts are to be embedded once.
func (c *Cache) fill(ctx context.Context, g *group) error {
	if end, ok := ctx.Deadline(); ok {
		bounded, cancel := context.WithTimeout(ctx, time.Until(end)/4*3)
		defer cancel()
		ctx = bounded
	}
	if len(c.missing(g)) == 0 {
		return nil
	}
	select {
	case g.filling <- struct{}{}:
		defer func() { <-g.filling }()
	case <-ctx.Done():
		return ctx.Err()
	}
	list := c.missing(g) // anew: somebody else may have done it
	failures := 0
	var last error
	for part := range slices.Chunk(list, batch) {
		err := c.embed(ctx, part, &failures)
		if err != nil && (ctx.Err() != nil || failures >= maxFailures) {
			return err
		}
		if err != nil {
			last = err
		}
	}
	return last
}

// text is one of an entry's, to be embedded.
type text struct {
	*entry
	text         string
	failed, used uint64
}

// missing are the texts that are not embedded yet, at most MaxFill. Those that have failed
// come last, lest they keep the others from their turn.
func (c *Cache) missing(g *group) []text {
	c.mu.Lock()
	var list []text
	for _, e := range g.entries {
		if e.text != "" {
			list = append(list, text{e, e.text, e.failed, e.used})
		}
	}
	c.mu.Unlock()
	slices.SortFunc(list, func(a, b text) int {
		if a.failed != b.failed {
			return cmp.Compare(a.failed, b.failed)
		}
		return cmp.Compare(b.used, a.used)
	})
	return list[:min(len(list), MaxFill)]
}

// embed embeds a few texts: together, if the embedder can, and one by one if it cannot, or
// if one of them spoils it for all.
func (c *Cache) embed(ctx context.Context, list []text, failures *int) error {
	if many, ok := c.embedder.(BatchEmbedder); ok && len(list) > 1 {
		if c.together(ctx, many, list) == nil {
			return nil
		}
	}
	var last error
	for i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		parts, err := c.embedder.Embed(ctx, list[i].text)
		if err == nil {
			err = c.set(list[i].entry, parts)
		}
		if err == nil {
			continue
		}
		last = err
		if ctx.Err() != nil {
			return err
		}
		c.blame(list[i].entry)
		if *failures++; *failures >= maxFailures {
			return err
		}
	}
	return last
}

var errCount = errors.New("semantic: the embedder gave another number of embeddings than of texts")

func (c *Cache) together(ctx context.Context, many BatchEmbedder, list []text) error {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].text
	}
	vectors, err := many.EmbedBatch(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(list) {
		return errCount
	}
	for i := range list {
		if c.set(list[i].entry, vectors[i]) != nil {
			c.blame(list[i].entry)
		}
	}
	return nil
}

// set gives an entry its vector, in place of its text.
func (c *Cache) set(e *entry, parts []float32) error {
	v, err := newVector(parts)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.text == "" || !c.holds(e) {
		return nil
	}
	grown := v.size() - int64(len(e.text))
	e.vector, e.text = v, ""
	e.size += grown
	c.bytes += grown
	c.trim()
	return nil
}

// blame notes that a text could not be embedded.
func (c *Cache) blame(e *entry) {
	c.mu.Lock()
	e.failed++
	c.mu.Unlock()
}
