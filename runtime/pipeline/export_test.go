package pipeline

import "github.com/holdfast-go/holdfast/runtime/bulkhead"

// BulkheadForTest is what the bulkhead holds; nothing where there is none.
func (p *Pipeline) BulkheadForTest() bulkhead.Load {
	if p.bulkhead == nil {
		return bulkhead.Load{}
	}
	return p.bulkhead.Load()
}
