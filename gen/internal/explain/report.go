// Package explain says what the resilience of a document comes to: the effective
// policy of each operation with the place that each setting comes from, what that
// policy means when the dependency fails, and what changes between two versions.
// It renders that as text, as JSON and as one HTML page.
//
// It is a reader: the merge is package resilience's, the arithmetic package
// worstcase's. All text of a document is hostile until it is escaped: by
// diag.Escape in text, by encoding/json in JSON, by html/template in the page.
package explain

// FormatVersion is the version of the JSON forms. Within a version members are only
// added.
const FormatVersion = 1

// Report is the policies of a document under one profile. It is plain data; the
// JSON tags are the documented form.
type Report struct {
	Version    int    `json:"version"`
	Spec       string `json:"spec"`
	Title      string `json:"title"`
	Dependency string `json:"dependency"`
	External   bool   `json:"external"`
	Replicas   int    `json:"replicas"`
	// Profile is the one that is looked at, empty for none; Profiles are all that
	// the document has.
	Profile  string   `json:"profile,omitempty"`
	Profiles []string `json:"profiles,omitempty"`
	// Operations are in document order, each with the index of its policy.
	Operations []Operation `json:"operations"`
	// Policies are the different ones, in the order of the first operation that has
	// each. Two operations share one where all settings and their places agree.
	Policies []*Policy `json:"policies"`
}

// Operation is one operation.
type Operation struct {
	// ID is the operationId, empty for none. Name tells the operation apart:
	// "GET /pets/{id}", "webhook newPet: POST".
	ID     string   `json:"id,omitempty"`
	Name   string   `json:"name"`
	Method string   `json:"method"`
	Path   string   `json:"path"`
	Tags   []string `json:"tags,omitempty"`
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Policy int      `json:"policy"`
}

// Policy is what holds for one or more operations.
type Policy struct {
	View
	// Variants are in the order in which they are tried; of each the fields are all,
	// not only those that differ.
	Variants []Variant `json:"variants,omitempty"`
}

// View is the policy for requests of one form.
type View struct {
	Dependency string     `json:"dependency"`
	Client     []Field    `json:"client"`
	Server     []Field    `json:"server"`
	Worst      *WorstCase `json:"worstCase"`
}

// Variant is the policy for requests that meet its conditions.
type Variant struct {
	Name string `json:"name"`
	// When are the conditions, as "EXPR: value".
	When []string `json:"when"`
	View
}

// Field is one setting.
type Field struct {
	Path   string `json:"path"`
	Value  string `json:"value"`
	Source Source `json:"source"`
}

// Source is where a setting comes from. File, Line and Column are missing for what
// is built in.
type Source struct {
	Level   string `json:"level"`
	Overlay bool   `json:"overlay,omitempty"`
	Policy  string `json:"policy,omitempty"`
	Preset  string `json:"preset,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// WorstCase is what a policy means for a client whose dependency fails. Times are
// milliseconds, to the microsecond; null is no bound.
type WorstCase struct {
	// LimitMs is when a call is over whatever happens. LimitIsSum says that it is
	// the sum of all bounded parts, as no total timeout is in force; NoLimit says
	// what has no end.
	LimitMs    *float64 `json:"limitMs"`
	LimitIsSum bool     `json:"limitIsSum,omitempty"`
	NoLimit    string   `json:"noLimit,omitempty"`
	// HangingMs is the latest end of the tries when nothing is ever answered.
	HangingMs *float64 `json:"hangingMs"`
	// Timeline is such a call with the longest backoff, Rungs are what follows it.
	Timeline Timeline `json:"timeline"`
	Rungs    []Rung   `json:"rungs,omitempty"`
	Load     Load     `json:"load"`
	Breaker  *Breaker `json:"breaker,omitempty"`
	// ServerMs bounds the handler on the other side; null is no bound.
	ServerMs *float64 `json:"serverMs"`
	// Notes are whole sentences about what the numbers alone do not show.
	Notes []string `json:"notes,omitempty"`
}

// Timeline is a call that hangs.
type Timeline struct {
	Attempts []Attempt `json:"attempts"`
	EndMs    *float64  `json:"endMs"`
	// Stop says why no further try follows.
	Stop string `json:"stop"`
}

// Attempt is one try. EndMs is null where nothing ends it.
type Attempt struct {
	Number    int      `json:"number"`
	WaitMs    float64  `json:"waitMs"`
	StartMs   float64  `json:"startMs"`
	EndMs     *float64 `json:"endMs"`
	GrantedMs *float64 `json:"grantedMs"`
	// EndsBy is what ends it: "attempt timeout", "end of the call", "bulkhead hold",
	// "never".
	EndsBy string `json:"endsBy"`
}

// Rung is one rung of the fallback.
type Rung struct {
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"`
	StartMs float64 `json:"startMs"`
	EndMs   float64 `json:"endMs"`
	Skipped bool    `json:"skipped,omitempty"`
}

// Load is what one call sends to a dependency that fails everything.
type Load struct {
	Tries int `json:"tries"`
	// By is the failure that leads to most tries: "503", "429", "timeout", "reset".
	By string `json:"by"`
	// TriesWithoutKey is the number of tries of a call without an idempotency key,
	// where that is the caller's choice and makes a difference.
	TriesWithoutKey int `json:"triesWithoutKey,omitempty"`
	Hedges          int `json:"hedges,omitempty"`
	Requests        int `json:"requests"`
	// RungRequests go elsewhere: to the servers and operations of a fallback.
	RungRequests int     `json:"rungRequests,omitempty"`
	Budget       *Budget `json:"budget,omitempty"`
}

// Budget is what the retry budget leaves of that.
type Budget struct {
	Ratio        float64 `json:"ratio"`
	MinPerSecond float64 `json:"minPerSecond"`
	// Factors are requests for each call at rates of calls a second; the last one,
	// at rate 0, is the limit for a rate without bounds.
	Factors []Factor `json:"factors"`
}

// Factor is the number of requests for each call at a rate of calls.
type Factor struct {
	CallsPerSecond float64 `json:"callsPerSecond"`
	RequestsPer    float64 `json:"requestsPerCall"`
}

// Breaker is how the breaker reacts.
type Breaker struct {
	// OpensAfter is the number of failing calls; zero where it never opens.
	OpensAfter    int     `json:"opensAfter"`
	WithinMs      float64 `json:"withinMs,omitempty"`
	OpenMinMs     float64 `json:"openMinMs"`
	OpenMaxMs     float64 `json:"openMaxMs"`
	LongestOpenMs float64 `json:"longestOpenMs"`
	Probes        int     `json:"probes"`
	// Scope is "dependency", "host", "operation", or the expressions of its key.
	Scope        string `json:"scope"`
	BlindToHangs bool   `json:"blindToHangs,omitempty"`
	Shadow       bool   `json:"shadow,omitempty"`
}
