package gen

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/explain"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// Explanation is the resilience of a document, ready to be looked at from several
// sides. It is read-only and safe for concurrent use.
type Explanation struct {
	// Diagnostics are sorted by position, without duplicates.
	Diagnostics []Diagnostic

	label  string
	api    *ir.API
	result *resilience.Result
}

// ExplainSelection says what of a document is looked at; the zero value is all of it
// without a profile.
type ExplainSelection = explain.Selection

// ExplainReport is the effective policies of a document under one profile, with
// where each setting comes from and what the policy comes to when the dependency
// fails. Its methods WriteText, WriteJSON and WriteHTML write it; the JSON is
//
//	{"version": 1, "spec", "title", "dependency", "external", "replicas", "profile", "profiles": […],
//	 "operations": [{"id", "name", "method", "path", "tags": […], "file", "line", "policy": INDEX}],
//	 "policies":   [{"dependency", "client": [FIELD], "server": [FIELD], "worstCase": WORST,
//	                 "variants": [{"name", "when": […], and the same four}]}]}
//
//	FIELD = {"path": "retry.maxAttempts", "value": "3", "source": {"level", "overlay", "policy", "preset",
//	         "file", "line", "column", "pointer"}}
//	WORST = {"limitMs", "limitIsSum", "noLimit", "hangingMs", "serverMs", "notes": […],
//	         "timeline": {"attempts": [{"number", "waitMs", "startMs", "endMs", "grantedMs", "endsBy"}], "endMs", "stop"},
//	         "rungs":    [{"kind", "name", "startMs", "endMs", "skipped"}],
//	         "load":     {"tries", "by", "triesWithoutKey", "hedges", "requests", "rungRequests",
//	                      "budget": {"ratio", "minPerSecond", "factors": [{"callsPerSecond", "requestsPerCall"}]}},
//	         "breaker":  {"opensAfter", "withinMs", "openMinMs", "openMaxMs", "longestOpenMs", "probes", "scope",
//	                      "blindToHangs", "shadow"}}
//
// Times are milliseconds from the start of the call, and null is no bound; limitMs is
// when a call is over whatever happens, hangingMs when one is that is never answered;
// requestsPerCall at 0 calls a second is that at any higher rate. A member that is
// empty, zero or false may be missing, but limitMs, hangingMs, endMs,
// grantedMs and serverMs are always there. Within a version members are only added.
type ExplainReport = explain.Report

// ExplainDiff is what a change to a document changes in behaviour. Its methods
// WriteText and WriteJSON write it; the JSON is
//
//	{"version": 1, "old", "new", "profile", "profilesAdded": […], "profilesRemoved": […],
//	 "added": […], "removed": […], "compared",
//	 "changed": [{"id", "name", "profile", "variant",
//	              "fields":       [{"side", "path", "old", "new", "oldSource", "newSource"}],
//	              "consequences": [{"name", "unit", "old", "new", "oldValue", "newValue"}]}]}
//
// A field's old or new text is empty where the setting is not there. The unit of a
// consequence is "ms", "count" or "ratio"; a value of null is no bound, or what is not
// there. Within a version members are only added.
type ExplainDiff = explain.Diff

// ExplainTextOptions sets how a report or a diff is written as text.
type ExplainTextOptions = explain.Options

// Explain reads a document and merges its policies, with nothing generated. Of cfg
// it takes Spec, Overlays, Strict, SkipUnsupported, Include, Exclude, AllowRemote and
// Reporter. What the language has and this version does not act on yet is explained
// all the same.
//
// The Explanation is never nil. The error is [ErrDocument] where the document has
// errors, and a [*ConfigError] where a setting is wrong; the Explanation then has
// nothing but its diagnostics.
func Explain(ctx context.Context, cfg Config) (*Explanation, error) {
	return explainWith(ctx, cfg, cfg.Spec, nil)
}

// ExplainRevision is [Explain] for the document as a git repository had it: Spec,
// the overlays and all files that they refer to are read at the revision, which is
// anything that git understands (HEAD~3, v1.2.0, origin/main). It may name the document
// as well, by git's REVISION:PATH, where that had another name. An overlay that the
// revision does not have is left out: that it came is part of the difference. Files
// outside of the repository, and remote ones, are read as they are now.
func ExplainRevision(ctx context.Context, cfg Config, revision string) (*Explanation, error) {
	if isURL(cfg.Spec) {
		return &Explanation{}, configErrorf("diff", "%s is no file of a repository, so it has no revisions: name a file to compare with", cfg.Spec)
	}
	repo, err := openRepository(ctx, cfg.Spec, revision)
	if err != nil {
		return &Explanation{}, err
	}
	label := revision + ":" + cfg.Spec
	if repo.document != "" {
		cfg.Spec, label = repo.document, revision
	}
	cfg.Overlays = slices.DeleteFunc(slices.Clone(cfg.Overlays), func(file string) bool { return !isURL(file) && !repo.has(file) })
	e, err := explainWith(ctx, cfg, label, repo.read)
	if errors.Is(err, ErrDocument) && !isURL(cfg.Spec) && !repo.has(cfg.Spec) {
		e.Diagnostics[0].Hint = "if it had another name then, write it behind a colon: " + revision + ":old/name.yaml"
	}
	return e, err
}

func explainWith(ctx context.Context, cfg Config, label string, read func(string) ([]byte, error)) (*Explanation, error) {
	e := &Explanation{label: label}
	if err := cfg.completeInputs(); err != nil {
		return e, err
	}
	list := &diag.List{Strict: cfg.Strict}
	err := e.understand(ctx, cfg, read, list)
	e.Diagnostics = list.Sorted()
	switch {
	case err != nil:
		return e, err
	case list.HasErrors():
		e.api, e.result = nil, nil
		return e, ErrDocument
	}
	return e, nil
}

// completeInputs checks what a command that writes no code takes of the settings.
func (c *Config) completeInputs() error {
	probe := Config{Spec: c.Spec, Overlays: c.Overlays, AllowRemote: c.AllowRemote, Out: ".", Package: "p"}
	return probe.complete()
}

// understand runs the stages up to the merge.
func (e *Explanation) understand(ctx context.Context, cfg Config, read func(string) ([]byte, error), list *diag.List) error {
	cfg.report("load")
	doc := load.Load(ctx, load.Options{Path: cfg.Spec, Overlays: cfg.Overlays, AllowRemote: cfg.AllowRemote, Read: read}, list)
	if doc == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	cfg.report("lower")
	low := lower.Lower(doc, lower.Options{Include: cfg.Include, Exclude: cfg.Exclude, SkipUnsupported: cfg.SkipUnsupported}, list)
	e.api = low.API
	e.result = resilience.Apply(doc, low.API, nodesOf(low), list, resilience.Pending())
	return ctx.Err()
}

// Profiles are the names of the document's profiles, in document order.
func (e *Explanation) Profiles() []string {
	if e.result == nil {
		return nil
	}
	return slices.Clone(e.result.Profiles)
}

// Report looks at one profile. A profile that the document has not, and globs that
// fit no operation, are a [*ConfigError].
func (e *Explanation) Report(sel ExplainSelection) (*ExplainReport, error) {
	if e.result == nil {
		return nil, ErrDocument
	}
	if err := knownProfile(sel.Profile, e.result.Profiles); err != nil {
		return nil, err
	}
	r := explain.Build(e.label, e.api, e.result, sel)
	if len(r.Operations) == 0 && len(sel.Operations) > 0 {
		return nil, e.noOperation(sel)
	}
	return r, nil
}

func knownProfile(name string, known []string) error {
	switch {
	case name == "" || slices.Contains(known, name):
		return nil
	case len(known) == 0:
		return configErrorf("profile", "there is no profile %s: the document has none", name)
	}
	if near, ok := diag.Nearest(name, known); ok {
		return configErrorf("profile", "there is no profile %s: did you mean %s?", name, near)
	}
	return configErrorf("profile", "there is no profile %s: the document has %s", name, strings.Join(known, ", "))
}

// noOperation is the error for globs that fit nothing.
func (e *Explanation) noOperation(sel ExplainSelection) error {
	var known []string
	for _, o := range e.result.Operations {
		if o.Op.ID != "" {
			known = append(known, o.Op.ID)
		}
		known = append(known, o.Name)
	}
	glob := sel.Operations[0]
	if near, ok := diag.Nearest(glob, known); ok {
		return configErrorf("operation", "no operation fits %s: did you mean %s?", glob, near)
	}
	return configErrorf("operation", "no operation fits %s: it is a glob over operation ids, paths and names such as \"GET /pets/{id}\"", glob)
}

// CompareExplanations says what changed from one version of a document to another.
// Without a profile the policies without one and those of all profiles are compared;
// a profile has to be one of either version.
func CompareExplanations(old, now *Explanation, sel ExplainSelection) (*ExplainDiff, error) {
	if old.result == nil || now.result == nil {
		return nil, ErrDocument
	}
	profiles := slices.Clone(now.result.Profiles)
	for _, name := range old.result.Profiles {
		if !slices.Contains(profiles, name) {
			profiles = append(profiles, name)
		}
	}
	if err := knownProfile(sel.Profile, profiles); err != nil {
		return nil, err
	}
	looked := []string{sel.Profile}
	if sel.Profile == "" {
		looked = append(looked, profiles...)
	}
	var pairs []explain.Pair
	for _, name := range looked {
		sel.Profile = name
		pairs = append(pairs, explain.Pair{
			Profile: name,
			Old:     explain.Build(old.label, old.api, old.result, sel),
			New:     explain.Build(now.label, now.api, now.result, sel),
		})
	}
	if len(sel.Operations) > 0 && len(pairs[0].Old.Operations)+len(pairs[0].New.Operations) == 0 {
		return nil, now.noOperation(sel)
	}
	return explain.Compare(old.label, now.label, pairs), nil
}

// errNoGit says that git cannot be asked.
var errNoGit = errors.New("git is not there, and a revision can only be read with it: compare with a file instead")
