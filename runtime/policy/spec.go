package policy

// MaxReplay is the most, in bytes, that a client keeps of a request body so
// that it can be sent again. A larger body without a way to rewind it is sent
// once.
const MaxReplay = 1 << 20

// Spec is the policy of one operation for both sides of the wire.
type Spec struct {
	// ID is the operationId, or "METHOD /path" for an operation without one.
	ID string
	// Method is the HTTP method in capitals.
	Method string
	// Path is the path template as the document writes it.
	Path string
	// Dependency is the partition of breakers, bulkheads, budgets and buckets.
	Dependency string
	// Replicas is the number of instances that share the limits; zero counts
	// as one.
	Replicas int

	Client Client
	Server Server

	// Variants are what requests of a certain form get instead. The first one
	// that holds is taken.
	Variants []Variant
	// Profiles are what the operation does instead in a process that runs under
	// one of these names. Profiles that change nothing here are left out.
	Profiles []Profile
}

// Client is what the calling side does. Each nil primitive is off.
type Client struct {
	// Effect decides whether a call may be repeated. The zero value, Write, is
	// the careful one.
	Effect Effect
	// Criticality is sent on to the server, which sheds the lowest first.
	Criticality Criticality

	Timeout     *Timeout
	Deadline    *Deadline
	Retry       *Retry
	Breaker     *Breaker
	Bulkhead    *Bulkhead
	RateLimit   *RateLimit
	Idempotency *Idempotency
	Hedge       *Hedge
	Fallback    *Fallback
	Cache       *Cache
	Concurrency *Concurrency
	Stream      *Stream
}

// Server is what the answering side does. Each nil primitive is off.
type Server struct {
	Timeout     *ServerTimeout
	Deadline    *Deadline
	Bulkhead    *Bulkhead
	RateLimit   *RateLimit
	Idempotency *Idempotency
	Cache       *Cache
	Concurrency *Concurrency
	Lock        *Lock
	Shed        *Shed
}

// Effect says whether an operation may be repeated.
type Effect uint8

// Effects of an operation, from the most careful on.
const (
	// Write may not be repeated unless it provably never left or carries an
	// idempotency key.
	Write Effect = iota
	// Idempotent may be repeated: twice is the same as once.
	Idempotent
	// Read changes nothing.
	Read
)

// Repeatable reports whether a repeat is harmless without a key.
func (e Effect) Repeatable() bool { return e == Idempotent || e == Read }

// String is the word that the x-resilience language uses.
func (e Effect) String() string { return word(e, "write", "idempotent", "read") }

// EffectOf is the effect that a method has when nothing is written.
func EffectOf(method string) Effect {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		return Read
	case "PUT", "DELETE":
		return Idempotent
	}
	return Write
}

// Criticality orders calls for shedding.
type Criticality uint8

// Criticalities. The zero value is Standard.
const (
	Standard Criticality = iota
	Critical
	Optional
)

// String is the word of the language, and the value of the header
// x-request-criticality.
func (c Criticality) String() string { return word(c, "standard", "critical", "optional") }

// AttemptHeader carries the number of a try, so that a service can tell a repeat from a
// first try; pipeline.Transport leaves it out of first tries.
const AttemptHeader = "X-Request-Attempt"

// CriticalityHeader carries the criticality of a call to the server.
const CriticalityHeader = "X-Request-Criticality"

// Mode says whether a primitive acts. A primitive that is off is a nil
// pointer, so there is no third mode here.
type Mode uint8

// Modes. The zero value enforces.
const (
	Enforce Mode = iota
	// Shadow takes part in everything but refuses, waits and repeats nothing:
	// it only reports what it would have done.
	Shadow
)

// String is the word of the language.
func (m Mode) String() string { return word(m, "enforce", "shadow") }

// word names the value of a small enumeration; a value out of range (a literal
// written by hand) is "unknown" rather than a panic.
func word[E ~uint8](e E, names ...string) string {
	if int(e) < len(names) {
		return names[e]
	}
	return "unknown"
}
