// Package lint looks for what is allowed and yet likely to hurt: over what a document
// says, the effective policies of its operations, and where each setting comes from.
//
// The table of rules is in package catalog; here is what finds them, a file for each
// family and a small function for each rule or two. A finding names its rule, stands
// where the setting was written, and may bring settings that mend it.
package lint

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// Input is what is looked at. Nothing of it is changed.
type Input struct {
	Doc    *load.Document
	API    *ir.API
	Levels *resilience.Result
	Nodes  resilience.Nodes
	// Diagnostics are what the stages before have said. Those that are errors are
	// critical findings, whatever their rule.
	Diagnostics []diag.Diagnostic
	// Remarks makes findings of warnings about the document itself as well: a
	// published one has hundreds, and none is about resilience.
	Remarks bool
	// Waive accepts findings everywhere, by rule, with the reason: that of the
	// configuration file.
	Waive map[string]string
	// Alone says that Levels are those of overlays without their documents: only the
	// rules run that look at nothing but settings, and only what is written counts.
	// Doc, API and Nodes are not needed.
	Alone bool
	// Partial says that operations of the document were left out, so that nothing can
	// be said about what is not used.
	Partial bool
}

// Report is what was found.
type Report struct {
	// Findings are sorted by position, then by rule.
	Findings []Finding
	// Waived counts those that the document or the configuration accepts.
	Waived int
	// Remarks counts what the stages before have said of the document itself and is
	// not among the findings.
	Remarks int
}

// Finding is one finding with what mends it.
type Finding struct {
	diag.Finding
	Severity catalog.Severity
	patches  []patch
}

// Fixable reports whether [Report.Overlay] mends the finding.
func (f *Finding) Fixable() bool { return len(f.patches) > 0 }

// Worst is the gravest severity found; ok false when there is no finding.
func (r *Report) Worst() (worst catalog.Severity, ok bool) {
	for i, f := range r.Findings {
		if i == 0 || f.Severity < worst {
			worst, ok = f.Severity, true
		}
	}
	return worst, ok
}

// Run looks for all rules. Where the document could not be understood (Levels is nil)
// the findings are its errors alone.
func Run(in Input) *Report {
	r := &run{in: in, index: map[place]*group{}, waived: map[place]bool{}, accepted: map[acceptance]bool{}}
	switch {
	case in.Levels == nil:
	case in.Alone:
		r.in.API = &ir.API{Replicas: 1}
		r.in.Nodes = func(*ir.Operation) ([]*load.Node, *load.Node) { return nil, nil }
		for _, v := range r.allViews() {
			for _, check := range settingChecks {
				check(v)
			}
		}
	default:
		r.views = r.allViews()
		for _, v := range r.views {
			for _, check := range operationChecks {
				check(v)
			}
		}
		for _, check := range documentChecks {
			check(r)
		}
		if !in.Partial {
			unusedPolicies(r)
			unusedPresets(r)
			unusedWaivers(r)
		}
	}
	return r.report()
}

// Faults makes findings of diagnostics alone, for a document that could not be read.
func Faults(ds []diag.Diagnostic) *Report { return Run(Input{Diagnostics: ds}) }

// operationChecks look at one operation under one profile and variant.
var operationChecks = slices.Concat(
	timeoutChecks, retryChecks, breakerChecks, limitChecks, idempotencyChecks,
	fallbackChecks, cacheChecks, lockChecks, shapeChecks, eventChecks,
)

// settingChecks look at nothing but the settings of an operation.
var settingChecks = []func(*view){
	attemptAboveTotal, totalShort, notMeasured,
	clientErrors, clientErrorRules, tooEarly, waits, attempts, budgetOff, retryAfter, hedgedTries,
	breakerOff, bulkheadOff, slowCall, shortRecovery, longQueue, callerRuns, aboveLimit,
	keyLife, keySource, storeAllow, hedges, unboundedCache, lockTimes, lockFencing, lockKeys,
}

// documentChecks look at the document as a whole.
var documentChecks = []func(*run){
	fineBreakers, lonelyBulkheads, sharedKeys, broadLevels, overkill, sagas, aggregates, edges,
}

// maxFindings bounds the findings of a document; nobody reads past the first hundreds,
// and readers of SARIF take no more than some thousands.
const maxFindings = 10_000

// run is one run over one document.
type run struct {
	in    Input
	views []*view

	groups []*group
	index  map[place]*group
	waived map[place]bool
	// outdated are the operations that others invalidate; nil: not asked yet.
	outdated map[string]bool
	// dropped says that there are more than maxFindings.
	dropped bool
	// accepted are the waivers that have silenced a finding.
	accepted map[acceptance]bool
}

// acceptance is a waiver by what it says.
type acceptance struct{ rule, reason string }

// place tells findings apart: operations that share a rule and a position share a
// finding.
type place struct {
	rule string
	pos  diag.Pos
}

// group is a finding with the operations that it is about.
type group struct {
	rule    catalog.Rule
	spot    spot
	message string
	names   []string // of operations, each without the views that are laid over it
	named   map[string]bool
	related []diag.Related
	patches []patch
	patched map[patchPlace]bool
}

// found notes a finding of an operation.
func (v *view) found(rule string, at spot, message string) *group {
	if v.in.Alone && at.source.Level == "" {
		return nil // built in, or about the operation, of which nothing is known
	}
	if reason, ok := v.v.Waive[rule]; ok {
		v.run.accept(rule, reason, at)
		return nil
	}
	g := v.run.add(rule, at, message)
	if g != nil && !v.in.Alone && !g.named[v.name] && !slices.ContainsFunc(v.weaker, func(n string) bool { return g.named[n] }) {
		g.named[v.name] = true
		g.names = append(g.names, v.name)
	}
	return g
}

// found notes a finding of the document.
func (r *run) found(rule string, at spot, message string) {
	if reason, ok := r.rootWaiver(rule); ok {
		r.accept(rule, reason, at)
		return
	}
	r.add(rule, at, message)
}

func (r *run) accept(rule, reason string, at spot) {
	r.accepted[acceptance{rule, reason}] = true
	r.waived[place{rule, at.pos}] = true
}

func (r *run) add(id string, at spot, message string) *group {
	if _, ok := r.in.Waive[id]; ok {
		r.waived[place{id, at.pos}] = true
		return nil
	}
	rule, ok := catalog.Get(id)
	if !ok {
		panic("lint: no rule " + id) // found by the test of any rule
	}
	key := place{id, at.pos}
	if g := r.index[key]; g != nil {
		return g
	}
	if len(r.groups) >= maxFindings {
		r.dropped = true
		return nil
	}
	g := &group{rule: rule, spot: at, message: message, named: map[string]bool{}, patched: map[patchPlace]bool{}}
	r.index[key] = g
	r.groups = append(r.groups, g)
	return g
}
