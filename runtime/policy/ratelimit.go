package policy

import "time"

// Rate is a number of tokens in a time; the zero Rate is no limit.
type Rate struct {
	Algorithm Algorithm
	// Limit tokens come in each Per. Burst of them can be saved in a token bucket;
	// windows have no burst and never grant more than Limit.
	Limit int
	Per   time.Duration
	Burst int
}

// Algorithm is how a rate is kept.
type Algorithm uint8

// Algorithms. The zero value is the token bucket.
const (
	// TokenBucket saves up to Burst tokens and gets Limit more in each Per.
	TokenBucket Algorithm = iota
	// SlidingWindow is the exact log: never more than Limit in any Per.
	SlidingWindow
	// SlidingCounter approximates it with the counts of two windows.
	SlidingCounter
)

// String is the word of the language.
func (a Algorithm) String() string {
	return word(a, "token-bucket", "sliding-window", "sliding-counter")
}

// LimitStoreError says what a limit does when its store cannot be asked.
type LimitStoreError uint8

// The zero value goes on locally.
const (
	LimitLocally LimitStoreError = iota // this process allows Limit divided by the replicas
	LimitAllow                          // calls pass
	LimitDeny                           // calls are refused
)

// String is the word of the language.
func (e LimitStoreError) String() string { return word(e, "local", "allow", "deny") }

// Plan takes the rate from who calls.
type Plan struct {
	// From names the plan, an expression or a function ([FromFunc]).
	From Expr
	// Tiers are the rates of the plans; Else is that of any other.
	Tiers []PlanTier
	Else  Rate
}

// PlanTier is the rate of one plan.
type PlanTier struct {
	Plan string
	Rate Rate
}

// RateOf is the rate of a plan.
func (p *Plan) RateOf(plan string) Rate {
	for i := range p.Tiers {
		if p.Tiers[i].Plan == plan {
			return p.Tiers[i].Rate
		}
	}
	return p.Else
}

// Sync lets a client's bucket follow the numbers that a server sends. Each field
// is the name of a response header, empty where the server has none.
type Sync struct {
	Remaining string
	// Reset is when the tokens are back, in the form As.
	Reset string
	As    HintUnit
	// Bucket names which of the server's own buckets the numbers are about, so
	// that each has its own.
	Bucket string
}
