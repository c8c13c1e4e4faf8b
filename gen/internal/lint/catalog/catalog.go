// Package catalog is the table of lint rules: one home for their ids, severities
// and texts. It knows no document, so that the reader of annotations, which names
// rules in waivers, and the linter, which looks for their findings, can share it.
package catalog

import (
	"slices"
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Severity is the weight of a finding. The zero value is Critical, so that a
// forgotten severity can never hide one.
type Severity uint8

// The severities, gravest first.
const (
	// Critical blocks a release: effects may come twice, or calls last for ever.
	Critical Severity = iota
	// Major is to be mended soon: an outage of one part will spread.
	Major
	// Minor is to be mended when there is time.
	Minor
	// Info is worth knowing; nothing is wrong.
	Info
)

// String is the word in options, reports and documentation.
func (s Severity) String() string {
	if int(s) < len(severityWords) {
		return severityWords[s]
	}
	return "severity(" + strconv.Itoa(int(s)) + ")"
}

var severityWords = []string{"critical", "major", "minor", "info"}

// Severities lists the words, gravest first.
func Severities() []string { return slices.Clone(severityWords) }

// ParseSeverity reads a word of [Severities].
func ParseSeverity(word string) (Severity, bool) {
	i := slices.Index(severityWords, word)
	return Severity(max(i, 0)), i >= 0
}

// Rule is one thing that lint looks for.
type Rule struct {
	// ID is kebab-case and never changes: waivers and dashboards name it.
	ID       string
	Severity Severity
	// Finds says what is found, Why what comes of it, Source who says so, and
	// Mend what to do. Each is one or two sentences.
	Finds, Why, Source, Mend string
	// Fixes says that lint can write an overlay that mends it.
	Fixes bool
	// Refused says that a document with an unwaived finding generates nothing.
	Refused bool
}

// families are the tables, in the order of the documentation.
var families = []Family{
	{"Timeouts and deadlines", timeouts},
	{"Retries", retries},
	{"Breakers and bulkheads", breakers},
	{"Rate limits", limits},
	{"Idempotency", idempotency},
	{"Fallbacks and hedges", fallbacks},
	{"Caches", caches},
	{"Locks", locks},
	{"Streams, reads and writes", shapes},
	{"Sagas, events and webhooks", events},
	{"The annotations themselves", annotations},
}

// Family is a group of rules about one subject.
type Family struct {
	Name  string
	Rules []Rule
}

// Families returns all rules by subject, in the order of the documentation.
func Families() []Family { return families }

// All returns all rules, in the order of the documentation.
func All() []Rule {
	var out []Rule
	for _, f := range families {
		out = append(out, f.Rules...)
	}
	return out
}

// Get returns the rule of an id.
func Get(id string) (Rule, bool) {
	for _, f := range families {
		for _, r := range f.Rules {
			if r.ID == id {
				return r, true
			}
		}
	}
	return Rule{}, false
}

// Known reports whether a rule has the id.
func Known(id string) bool {
	_, ok := Get(id)
	return ok
}

// Nearest is the rule that an unknown id was probably meant to be, empty when none
// is near.
func Nearest(id string) string {
	var ids []string
	for _, r := range All() {
		ids = append(ids, r.ID)
	}
	near, _ := diag.Nearest(id, ids)
	return near
}

// The rules whose findings refuse a document: the reader of annotations reports
// these itself, since nothing may be generated with one.
const (
	RetrySafetyAlways   = "retry-safety-always"
	TimeoutOff          = "timeout-off"
	IdempotencyLease    = "idempotency-lease"
	FallbackWhenUnknown = "fallback-when-unknown"
)

// TimeoutAttemptAboveTotal is a warning of the reader of annotations as well.
const TimeoutAttemptAboveTotal = "timeout-attempt-above-total"
