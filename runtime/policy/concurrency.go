package policy

// Concurrency keeps writers from overwriting what they have not read: optimistic
// concurrency by versions.
type Concurrency struct {
	Mode Mode
	// Version is where the version stands: in the response of a read, in the
	// request of a write. The zero Expr is the ETag of the one and the If-Match of
	// the other.
	Version Expr
	// IfMatch says whether a write must name a version: 428 without one.
	IfMatch IfMatch
	// Conflict is the status of a lost race: 412 or 409. Zero counts as 412.
	Conflict int
	// Reread is the operation, by its key, that reads what a write writes: the GET
	// of the same path. Empty: there is none.
	Reread string
}

// IfMatch says whether a write must name a version.
type IfMatch uint8

// The zero value lets a write without a version pass.
const (
	IfMatchOptional IfMatch = iota
	IfMatchRequired
)

// String is the word of the language.
func (m IfMatch) String() string { return word(m, "optional", "required") }
