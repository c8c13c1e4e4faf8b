package client

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// WithPolicyFile lays a file over the policies that the code was generated with: numbers
// and modes in the words of x-resilience, see package policyfile. New reads it, and what
// is wrong with it is an error. Then calls look at it, one of them in each
// [policyfile.Interval]; a call that has begun keeps the policy that it began with. A file
// that has become wrong leaves the last good one in force, and is told to the hook
// PolicyReload and by [Core.PolicyError].
//
// Files are JSON, unless [PolicyDecoder] says otherwise.
func WithPolicyFile(path string) Option {
	return func(s *settings) error {
		if path == "" {
			return errors.New("WithPolicyFile: the path is empty")
		}
		s.policyFile = path
		return nil
	}
}

// PolicyDecoder reads the file of WithPolicyFile. The decoder of YAML is in package
// policyfile/yaml, which has a dependency.
func PolicyDecoder(d policyfile.Decoder) Option {
	return func(s *settings) error {
		if d == nil {
			return errors.New("PolicyDecoder: the decoder is nil")
		}
		s.policyDecoder = d
		return nil
	}
}

// edition is what a client has made of its operations' policies, until a policy file
// changes them.
type edition struct {
	policies   *policyfile.Policies
	operations sync.Map // *policy.Spec to *operation
}

// follow makes the first edition, and has the others made.
func (c *Core) follow(s *settings, profile string, hooks *observe.Hooks) error {
	off, err := policyfile.ParseOff(os.Getenv(policyfile.OffVariable))
	if err != nil {
		return err
	}
	file := s.policyFile
	if file != "" && len(c.api.Operations) == 0 {
		return errors.New("WithPolicyFile: the API does not list its operations")
	}
	config := policyfile.Config{
		Path: file, Decode: s.policyDecoder, Specs: c.api.Operations, Profile: profile, Profiles: c.api.Profiles, Off: off,
	}
	if hook := hooks.PolicyReload; hook != nil {
		config.Report = func(err error) { hook(observe.PolicyReload{File: file, At: time.Now(), Err: err}) }
	}
	c.live, err = policyfile.NewLive(config, func(p *policyfile.Policies) *edition {
		if file != "" {
			c.settle(p)
		}
		return &edition{policies: p}
	})
	if err != nil {
		return fmt.Errorf("WithPolicyFile: %w", err)
	}
	return nil
}

// settle makes what calls share go by new policies.
func (c *Core) settle(p *policyfile.Policies) {
	for _, s := range p.All() {
		c.registry.Update(s)
		for i := range s.Variants {
			c.registry.Update(s.Variant(i))
		}
	}
}

// ReloadPolicy looks at the policy file now, and is what is wrong with it; the last good
// one is then still in force. Without a file it does nothing.
func (c *Core) ReloadPolicy() error {
	if c == nil || c.live == nil {
		return nil
	}
	return c.live.Reload()
}

// PolicyError is what is wrong with the policy file as it was last looked at, a
// [*policyfile.Error]; nil when it is in force, and without a file.
func (c *Core) PolicyError() error {
	if c == nil || c.live == nil {
		return nil
	}
	return c.live.Err()
}

// Policy is what is in force for an operation, with its variants: under the profile, the
// policy file and HOLDFAST_OFF. It must not be changed. Nil is an operation that the
// API does not list.
func (c *Core) Policy(operationID string) *policy.Spec {
	if c == nil || c.live == nil {
		return nil
	}
	return c.live.Current().policies.ByID(operationID)
}

// Policies are those of all operations that the API lists, in its order; see Policy.
func (c *Core) Policies() []*policy.Spec {
	if c == nil || c.live == nil {
		return nil
	}
	return c.live.Current().policies.All()
}
