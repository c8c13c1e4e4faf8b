package client

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
	"github.com/holdfast-go/holdfast/runtime/internal/lookup"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Shrink makes the request of the next try smaller. It is the pipeline's to call.
func (c *call) Shrink(s *policy.Shrink) func() {
	r := &c.request
	if r.kind != bytesBody || !content.IsJSON(r.contentType) {
		return nil
	}
	body, ok := shrink(r.body, s)
	if !ok {
		return nil
	}
	return func() {
		// Whatever the try before still reads of the request stays as it is.
		r.body, r.header = body, maps.Clone(r.header)
		c.values.tree = lookup.Tree{}
		c.shrunk = true
		if c.pipe.Key != "" {
			c.shrinkKey()
		}
	}
}

// shrink drops elements of the array at the pointer of a JSON text, the oldest first but
// for those that are to be kept. The newest one always stays: it is what the request is
// about. It is false where nothing may be dropped.
func shrink(text []byte, s *policy.Shrink) ([]byte, bool) {
	root, err := jsontree.Parse(string(text))
	if err != nil {
		return nil, false
	}
	array, ok := root.At(s.Pointer)
	n := len(array.Items)
	first := max(0, s.KeepFirst)
	if !ok || array.Kind != jsontree.Array || n <= first+1 {
		return nil, false
	}
	left := min(max(int(float64(n)*s.Factor), first+1), n-1)
	from, to := array.Items[first].Offset, array.Items[first+n-left].Offset
	out := make([]byte, 0, len(text)-(to-from))
	return append(append(out, text[:from]...), text[to:]...), true
}

// shrinkKey gives the smaller request a key of its own: derived anew where that tells the
// two apart, else from the key before and the body.
func (c *call) shrinkKey() {
	p, before := c.op.idempotency, c.pipe.Key
	if p.Key == policy.KeyDerived {
		if key, err := idempotency.Derive(c.spec, &c.values); err == nil && key != before && c.putKey(key) == nil {
			c.meta.Key = c.pipe.Key
			return
		}
	}
	sum := sha256.Sum256(c.request.body)
	text := jsontree.AppendString([]byte("["), before)
	text = append(jsontree.AppendString(append(text, ','), hex.EncodeToString(sum[:])), ']')
	sum = sha256.Sum256(text)
	// 32 hexadecimal digits are a key in either form, so that this cannot fail.
	if c.putKey(hex.EncodeToString(sum[:16])) == nil {
		c.meta.Key = c.pipe.Key
	}
}
