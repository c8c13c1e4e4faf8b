package resilience

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func (r *reader) places(doc *load.Document, all []*operation) {}
func (m *merger) sameInstances(all []*operation)              {}
func (m *merger) expressions(all []*operation)                {}
func words(o *operation) []string                             { return nil }
func (d *decoder) secretsOf(v *value, from []policy.Expr)     {}
func (d *decoder) secretFingerprint(f *value)                 {}

// header is the name of a documented header parameter, as it is written there.
func (o *operation) header(name string) string {
	for _, p := range o.op.Params {
		if p.In == "header" && strings.EqualFold(p.Name, name) {
			return p.Name
		}
	}
	return ""
}
