package server

import (
	"net/http"
	"os"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// WithPolicyFile lays a file over the policies that the code was generated with: numbers
// and modes in the words of x-resilience, see package policyfile. New reads it, and panics
// with what is wrong with it. Then requests look at it, one of them in each
// [policyfile.Interval]; a request that has begun keeps the policy that it began with. A
// file that has become wrong leaves the last good one in force, and is told to the hook
// PolicyReload and by [PolicyError].
//
// Files are JSON, unless [PolicyDecoder] says otherwise. An empty path is no file.
func WithPolicyFile(path string) Option {
	return func(s *settings) { s.policyFile = path }
}

// PolicyDecoder reads the file of WithPolicyFile. The decoder of YAML is in package
// policyfile/yaml, which has a dependency. Nil is that of JSON.
func PolicyDecoder(d policyfile.Decoder) Option {
	return func(s *settings) { s.policyDecoder = d }
}

// edition is what a handler has made of its operations' policies, until a policy file
// changes them.
type edition struct {
	policies  *policyfile.Policies
	endpoints []*endpoint // by the router's numbers
}

// follow makes the first edition, and has the others made.
func (h *handler) follow() error {
	off, err := policyfile.ParseOff(os.Getenv(policyfile.OffVariable))
	if err != nil {
		return err
	}
	config := policyfile.Config{
		Path: h.policyFile, Decode: h.policyDecoder, Profile: h.profile, Profiles: h.api.Profiles, Off: off,
	}
	for _, e := range h.mounted {
		config.Specs = append(config.Specs, e.spec)
	}
	if hook := h.hooks.PolicyReload; hook != nil {
		config.Report = func(err error) { hook(observe.PolicyReload{File: h.policyFile, At: time.Now(), Err: err}) }
	}
	h.shared = newShared(h)
	h.live, err = policyfile.NewLive(config, func(p *policyfile.Policies) *edition {
		return &edition{p, h.shared.edition(p.Of)}
	})
	if err != nil {
		return err
	}
	return h.checkGiven(h.live.Current().policies.All())
}

// ReloadPolicy makes a handler of New look at its policy file now, and is what is wrong
// with it; the last good one is then still in force. For other handlers, and without a
// file, it does nothing.
func ReloadPolicy(h http.Handler) error {
	if own, ok := h.(*handler); ok {
		return own.live.Reload()
	}
	return nil
}

// PolicyError is what is wrong with the policy file of a handler of New as it was last
// looked at, a [*policyfile.Error]; nil when it is in force.
func PolicyError(h http.Handler) error {
	if own, ok := h.(*handler); ok {
		return own.live.Err()
	}
	return nil
}

// Policies are what is in force for the operations of a handler of New, with their
// variants: under the profile, the policy file and HOLDFAST_OFF. They must not be changed.
func Policies(h http.Handler) []*policy.Spec {
	if own, ok := h.(*handler); ok {
		return own.live.Current().policies.All()
	}
	return nil
}
