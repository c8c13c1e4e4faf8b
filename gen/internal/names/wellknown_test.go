package names

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// go vet refuses a ReadByte that is not that of io.ByteReader, so no operation is
// called so unless the document insists.
func TestWellKnownMethods(t *testing.T) {
	named := operation("x")
	named.GoName = "WriteByte"
	ops := []*ir.Operation{operation("readByte"), operation("MarshalJSON"), operation("scan"), operation("writeByte"), named}
	table := New(&ir.API{Operations: ops})
	var got []string
	for _, op := range ops {
		got = append(got, table.Op(op).Method)
	}
	equal(t, "methods", got, []string{"ReadByteOperation", "MarshalJSONOperation", "Scan", "WriteByteOperation", "WriteByte"})
}
