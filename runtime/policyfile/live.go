package policyfile

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Interval is how often a file is looked at, at most, and only by calls: a program
// that makes no calls does not touch it.
const Interval = time.Second

// Config says which file holds for which operations.
type Config struct {
	// Path is the file's; empty for a process without one.
	Path string
	// Decode reads the file; nil is [JSON].
	Decode Decoder
	// Specs are all operations, as generated.
	Specs []*policy.Spec
	// Profile is the one that the process runs under; empty for none. Profiles are
	// all that the document has.
	Profile  string
	Profiles []string
	// Off is what is switched off in the process.
	Off Off
	// Report is called when the file was read again, with nil when it is now in
	// force and with an [*Error] when the last good one stays so; once for each
	// change. It may be nil.
	Report func(error)
}

// Policies are what operations do in a process, by their generated policies. It is immutable.
type Policies struct {
	config *Config
	specs  map[*policy.Spec]*policy.Spec
}

// Of is the policy in force of an operation, with its variants. One that is not among
// those of the Config is as it was generated, under the profile and without what is
// switched off.
func (p *Policies) Of(s *policy.Spec) *policy.Spec {
	if found, ok := p.specs[s]; ok {
		return found
	}
	return p.config.Off.Apply(s.Profile(p.config.Profile))
}

// ByID is Of by the operation's id; nil for one that is not among those of the Config.
func (p *Policies) ByID(id string) *policy.Spec {
	for _, s := range p.config.Specs {
		if s.ID == id {
			return p.Of(s)
		}
	}
	return nil
}

// All are the policies of all operations of the Config, in its order.
func (p *Policies) All() []*policy.Spec {
	out := make([]*policy.Spec, 0, len(p.config.Specs))
	for _, s := range p.config.Specs {
		out = append(out, p.Of(s))
	}
	return out
}

// Live keeps what is made from the policies of a process, a T, and follows the file.
// It is safe for concurrent use, and has no goroutine: the calls look at the file.
type Live[T any] struct {
	config Config
	build  func(*Policies) *T
	// begin and next are when the file is to be looked at, in nanoseconds: a moment
	// that is compared without a lock.
	begin time.Time
	next  atomic.Int64

	current atomic.Pointer[T]
	failure atomic.Pointer[failure]

	mu     sync.Mutex
	source source
}

// failure is why the file as it stands is not in force.
type failure struct{ err error }

// NewLive reads the file, if there is one. What is wrong with it is an error, an
// [*Error]. Then and after each change of the file build is called, by one goroutine
// at a time; what it makes is in force when it returns.
func NewLive[T any](c Config, build func(*Policies) *T) (*Live[T], error) {
	l := &Live[T]{config: c, build: build, begin: time.Now(), source: source{path: c.Path}}
	l.next.Store(int64(Interval))
	if c.Path == "" {
		l.current.Store(build(l.policies(nil)))
		return l, nil
	}
	data, _, err := l.source.read()
	if err != nil {
		return nil, err
	}
	specs, err := l.lay(data)
	if err != nil {
		return nil, err
	}
	l.current.Store(build(l.policies(specs)))
	return l, nil
}

// Current is what is in force. Once in an [Interval] one of its callers looks at the
// file first.
func (l *Live[T]) Current() *T {
	if l.config.Path != "" {
		l.look()
	}
	return l.current.Load()
}

// look looks at the file when it is time, on behalf of all.
func (l *Live[T]) look() {
	now := int64(time.Since(l.begin))
	if next := l.next.Load(); now < next || !l.next.CompareAndSwap(next, now+int64(Interval)) {
		return
	}
	if l.mu.TryLock() {
		report := l.reload()
		l.mu.Unlock()
		report()
	}
}

// Reload looks at the file now, and is what is wrong with it; nil also without a file.
func (l *Live[T]) Reload() error {
	if l.config.Path == "" {
		return nil
	}
	l.mu.Lock()
	report := l.reload()
	l.mu.Unlock()
	report()
	return l.Err()
}

// Err is why the file as it stands is not in force, an [*Error]; nil when it is.
func (l *Live[T]) Err() error {
	if f := l.failure.Load(); f != nil {
		return f.err
	}
	return nil
}

// reload reads the file if it has changed. What it returns tells of it, outside the
// lock. The lock is held.
func (l *Live[T]) reload() (report func()) {
	data, changed, err := l.source.read()
	if err == nil && !changed {
		return func() {}
	}
	var specs []*policy.Spec
	if err == nil {
		specs, err = l.lay(data)
	}
	if err != nil {
		old := l.failure.Swap(&failure{err})
		if old != nil && old.err.Error() == err.Error() {
			return func() {} // still the same
		}
		return l.reporting(err)
	}
	l.current.Store(l.build(l.policies(specs)))
	l.failure.Store(nil)
	return l.reporting(nil)
}

func (l *Live[T]) reporting(err error) func() {
	if l.config.Report == nil {
		return func() {}
	}
	return func() { l.config.Report(err) }
}

// lay lays a file over all operations.
func (l *Live[T]) lay(data []byte) ([]*policy.Spec, error) {
	c := &l.config
	f, err := Parse(c.Path, data, c.Decode)
	if err != nil {
		return nil, err
	}
	if err := f.knownProfiles(c.Profiles); err != nil {
		return nil, err
	}
	specs := make([]*policy.Spec, len(c.Specs))
	for i, s := range c.Specs {
		specs[i] = s.Profile(c.Profile)
	}
	return f.Apply(specs, c.Profile)
}

// policies are those that a file makes; without a file specs is nil.
func (l *Live[T]) policies(specs []*policy.Spec) *Policies {
	p := &Policies{config: &l.config, specs: make(map[*policy.Spec]*policy.Spec, len(specs))}
	for i, s := range specs {
		p.specs[l.config.Specs[i]] = l.config.Off.Apply(s)
	}
	return p
}

// knownProfiles reports profiles that the document does not have.
func (f *File) knownProfiles(known []string) error {
	var p problems
	if list := f.root.Get("profiles"); list != nil {
		for i := range list.Members {
			if m := &list.Members[i]; !free(m.Name) && !slices.Contains(known, m.Name) {
				p.addf(m.Line, m.Column, below("/profiles", m.Name), "the document has no such profile%s", didYouMean(m.Name, known))
			}
		}
	}
	return p.err(f.name)
}
