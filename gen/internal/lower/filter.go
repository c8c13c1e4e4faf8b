package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// filter is Options.Include and Options.Exclude.
type filter struct {
	include, exclude []*pick
	tags             map[string]bool // declared or used by an operation
	ids              []string        // of all operations
}

var pickKinds = []string{"tag", "path", "operation"}

// pick is one entry.
type pick struct {
	kind    string // tag, path, operation
	pattern string
	matched bool
}

func (l *lowerer) newFilter(opt Options) *filter {
	return &filter{include: l.picks(opt.Include), exclude: l.picks(opt.Exclude), tags: map[string]bool{}}
}

func (l *lowerer) picks(entries []string) []*pick {
	var out []*pick
	for _, entry := range entries {
		kind, pattern, ok := strings.Cut(entry, ":")
		if !ok || !slices.Contains(pickKinds, kind) {
			kind, pattern = "operation", entry // an operationId may hold a colon
		}
		if pattern == "" {
			l.list.Error(diag.Pos{File: l.doc.Root.Name}, "filter", "", "filter %q selects nothing: want tag:NAME, path:GLOB or operation:GLOB", entry)
			continue
		}
		out = append(out, &pick{kind: kind, pattern: pattern})
	}
	return out
}

// active reports whether only a part of the document is wanted.
func (f *filter) active() bool { return len(f.include)+len(f.exclude) > 0 }

// tag remembers a tag that an operation uses.
func (f *filter) tag(name string) { f.tags[name] = true }

// keeps reports whether an operation is wanted.
func (f *filter) keeps(op *ir.Operation, path string) bool {
	f.ids = append(f.ids, op.Key)
	kept := len(f.include) == 0
	for _, p := range f.include {
		if p.matches(op, path) {
			kept = true
		}
	}
	for _, p := range f.exclude {
		if p.matches(op, path) {
			kept = false
		}
	}
	return kept
}

func (p *pick) matches(op *ir.Operation, path string) bool {
	ok := false
	switch p.kind {
	case "tag":
		ok = slices.Contains(op.Tags, p.pattern)
	case "path":
		ok = glob(p.pattern, path, true)
	case "operation":
		ok = glob(p.pattern, op.Key, false)
	}
	p.matched = p.matched || ok
	return ok
}

// finish reports entries that can have no effect. A tag that does not exist is a
// mistake; a glob that matches nothing may be kept for another document.
func (f *filter) finish(l *lowerer) {
	for _, tag := range l.api.Tags {
		f.tags[tag.Name] = true
	}
	for _, p := range slices.Concat(f.include, f.exclude) {
		switch {
		case p.matched:
		case p.kind == "tag" && !f.tags[p.pattern]:
			names := slices.Sorted(maps.Keys(f.tags))
			d := l.list.Error(diag.Pos{File: l.doc.Root.Name}, "filter", "", "filter tag:%s: the document has no tag %q", p.pattern, p.pattern)
			if near, ok := diag.Nearest(p.pattern, names); ok {
				d.Hintf("did you mean %q?", near)
			}
		default:
			d := l.list.Warn(diag.Pos{File: l.doc.Root.Name}, "filter", "", "filter %s:%s matches no operation", p.kind, p.pattern)
			if near, ok := p.meant(f.ids); ok {
				d.Hintf("did you mean %q?", near)
			}
		}
	}
}

// meant is the filter that one without a match is a misspelling of: of a kind,
// or of an operation.
func (p *pick) meant(ids []string) (string, bool) {
	if p.kind != "operation" {
		return "", false
	}
	if kind, pattern, ok := strings.Cut(p.pattern, ":"); ok {
		if near, ok := diag.Nearest(kind, pickKinds); ok {
			return near + ":" + pattern, true
		}
	}
	return diag.Nearest(p.pattern, ids)
}

// glob matches s against a pattern in which * stands for any text and ? for one
// character. In paths * stays within a segment and ** does not. It runs in time
// proportional to the product of both lengths, whatever the pattern.
func glob(pattern, s string, path bool) bool {
	p, text := []rune(pattern), []rune(s)
	// match[j] says whether the pattern so far matches the first j characters.
	match := make([]bool, len(text)+1)
	match[0] = true
	for i := 0; i < len(p); i++ {
		next := make([]bool, len(text)+1)
		switch {
		case p[i] == '*':
			deep := !path
			for i+1 < len(p) && p[i+1] == '*' {
				deep = true
				i++
			}
			next[0] = match[0]
			for j, c := range text {
				next[j+1] = match[j+1] || next[j] && (deep || c != '/')
			}
		case p[i] == '?':
			for j, c := range text {
				next[j+1] = match[j] && (!path || c != '/')
			}
		default:
			for j, c := range text {
				next[j+1] = match[j] && c == p[i]
			}
		}
		match = next
	}
	return match[len(text)]
}
