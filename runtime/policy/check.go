package policy

import (
	"errors"
	"fmt"
	"time"
)

// Fault is a setting out of its range.
type Fault struct {
	// Field is the setting's path in the language, such as retry.maxAttempts.
	Field   string
	Message string
}

// Error names the field and what is wrong with it.
func (f Fault) Error() string { return f.Field + ": " + f.Message }

// Check reports all settings of a Spec that are out of range. Specs that the
// generator wrote pass; it is there for those written by hand, and for the
// generator itself.
func (s *Spec) Check() []Fault {
	var c checker
	c.all(&s.Client, &s.Server, s.Variants)
	for i := range s.Profiles {
		p := &s.Profiles[i]
		c.within = "profiles." + p.Name + "."
		c.all(&p.Client, &p.Server, p.Variants)
	}
	return c.faults
}

// all checks both sides and the variants of an operation or of one of its profiles.
func (c *checker) all(client *Client, server *Server, variants []Variant) {
	c.client(client)
	c.server(server)
	outer := c.within
	for i := range variants {
		v := &variants[i]
		c.within = outer + "variants." + v.Name + "."
		c.client(&v.Client)
		if v.Server != nil {
			c.server(v.Server)
		}
	}
	c.within = outer
}

// Validate is Check as one error, nil when all is well.
func (s *Spec) Validate() error {
	var errs []error
	for _, f := range s.Check() {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// checker collects faults. The prefix is the side: "client." or "server.", behind the
// profile and the variant.
type checker struct {
	faults []Fault
	within string
	side   string
}

func (c *checker) client(p *Client) {
	c.side = "client."
	if p.Timeout != nil {
		c.timeout(p.Timeout)
	}
	if p.Retry != nil {
		c.retry(p.Retry)
	}
	if p.Breaker != nil {
		c.breaker(p.Breaker)
	}
	c.shared(p.Deadline, p.Bulkhead, p.RateLimit, p.Idempotency)
	c.clientMore(p)
}

func (c *checker) server(p *Server) {
	c.side = "server."
	if p.Timeout != nil {
		c.notNegative("timeout.server", p.Timeout.Handler)
		c.notNegative("timeout.idle", p.Timeout.Idle)
	}
	c.shared(p.Deadline, p.Bulkhead, p.RateLimit, p.Idempotency)
	c.serverMore(p)
}

// shared checks what both sides have.
func (c *checker) shared(d *Deadline, b *Bulkhead, r *RateLimit, i *Idempotency) {
	if d != nil {
		c.notNegative("deadline.reserve", d.Reserve)
	}
	if b != nil {
		c.atLeast("bulkhead.maxConcurrent", b.MaxConcurrent, 1)
		c.atLeast("bulkhead.queue", b.Queue, 0)
		c.notNegativeOrNone("bulkhead.timeout", b.Timeout)
		c.notNegative("bulkhead.hold", b.Hold)
	}
	if r != nil {
		c.rateLimit(r)
	}
	if i != nil {
		c.idempotency(i)
	}
}

func (c *checker) timeout(t *Timeout) {
	c.notNegative("timeout.connect", t.Connect)
	c.notNegative("timeout.attempt", t.Attempt)
	c.notNegativeOrNone("timeout.total", t.Total)
	c.notNegative("timeout.idle", t.Idle)
	c.notNegative("timeout.floor", t.Floor)
	c.fraction("timeout.share", t.Share)
	c.notNegative("timeout.ceiling", t.Ceiling)
	// The negated form also catches NaN.
	if !(t.Headroom >= 0 && t.Headroom <= 100) {
		c.failf("timeout.headroom", "%v is not within 0 to 100", t.Headroom)
	}
	if t.Adaptive && t.Ceiling > 0 && t.Ceiling < t.Floor {
		c.failf("timeout.ceiling", "%v is below floor %v", t.Ceiling, t.Floor)
	}
}

func (c *checker) retry(r *Retry) {
	c.atLeast("retry.maxAttempts", r.MaxAttempts, 0)
	if r.MaxAttempts > 10 {
		c.failf("retry.maxAttempts", "%d is above 10", r.MaxAttempts)
	}
	c.notNegative("retry.baseDelay", r.BaseDelay)
	c.notNegative("retry.maxDelay", r.MaxDelay)
	if r.MaxDelay < r.BaseDelay {
		c.failf("retry.maxDelay", "%v is below baseDelay %v", r.MaxDelay, r.BaseDelay)
	}
	c.notNegative("retry.maxRetryAfter", r.MaxRetryAfter)
	for _, rule := range r.Rules {
		c.notNegative("retry.rules."+rule.Name+".wait", rule.Wait)
	}
	for _, hint := range r.Hints {
		if (hint.Header == "") == (hint.Pointer == "") {
			c.failf("retry.wait."+hint.Name, "exactly one of header and body is needed")
		}
	}
	if s := r.Shrink; s != nil {
		if !(s.Factor > 0 && s.Factor < 1) {
			c.failf("retry.shrink.factor", "%v is not between 0 and 1", s.Factor)
		}
		c.atLeast("retry.shrink.keepFirst", s.KeepFirst, 0)
	}
	if b := r.Budget; b != nil {
		// The negated form also catches NaN.
		if !(b.Ratio >= 0 && b.Ratio <= 10) {
			c.failf("retry.budget.ratio", "%v is not within 0 to 10", b.Ratio)
		}
		if !(b.MinPerSecond >= 0 && b.MinPerSecond <= 1e6) {
			c.failf("retry.budget.minPerSecond", "%v is not within 0 to 1000000", b.MinPerSecond)
		}
		c.positive("retry.budget.window", b.Window)
	}
}

func (c *checker) breaker(b *Breaker) {
	if (b.Window.Count > 0) == (b.Window.Time > 0) || b.Window.Count < 0 || b.Window.Time < 0 {
		c.failf("breaker.window", "exactly one of count and time is needed")
	}
	c.fraction("breaker.failureRate", b.FailureRate)
	if b.FailureRate > 0 {
		c.atLeast("breaker.minCalls", b.MinCalls, 1)
	} else {
		c.atLeast("breaker.failureThreshold", b.FailureThreshold, 1)
		if b.Window.Count > 0 && b.FailureThreshold > b.Window.Count {
			c.failf("breaker.failureThreshold", "%d cannot be reached in a window of %d calls",
				b.FailureThreshold, b.Window.Count)
		}
	}
	if b.FailureRate > 0 && b.Window.Count > 0 && b.MinCalls > b.Window.Count {
		c.failf("breaker.minCalls", "%d cannot be reached in a window of %d calls", b.MinCalls, b.Window.Count)
	}
	c.notNegative("breaker.minTime", b.MinTime)
	c.notNegative("breaker.slowCall", b.SlowCall)
	c.positive("breaker.recovery", b.Recovery)
	if !(b.Backoff >= 0 && b.Backoff <= 100) {
		c.failf("breaker.backoff", "%v is not within 0 to 100", b.Backoff)
	}
	c.notNegative("breaker.maxRecovery", b.MaxRecovery)
	c.atLeast("breaker.probes", b.Probes, 0)
}

func (c *checker) rateLimit(r *RateLimit) {
	for _, b := range r.Buckets {
		field := "rateLimit"
		if b.Name != "" {
			field += ".buckets." + b.Name
		}
		c.atLeast(field+".cost", b.Cost, 0)
		c.notNegativeOrNone(field+".wait", b.Wait)
		if b.Plan != nil {
			c.plan(field+".plan", b.Plan)
		} else {
			c.rate(field, b.Rate(), b.Cost)
		}
	}
}

func (c *checker) idempotency(i *Idempotency) {
	if i.Header == "" {
		c.failf("idempotency.header", "a header is needed")
	}
	if i.Key == KeyDerived && len(i.From) == 0 {
		c.failf("idempotency.from", "a derived key needs what it is derived from")
	}
	if i.Fingerprint == FingerprintFrom && len(i.From) == 0 {
		c.failf("idempotency.from", "the fingerprint needs what it is made from")
	}
	if c.side == "server." {
		c.positive("idempotency.ttl", i.TTL)
		c.positive("idempotency.lease", i.Lease)
	}
	if i.MaxBody < 0 {
		c.failf("idempotency.maxBody", "%d is negative", i.MaxBody)
	}
}

func (c *checker) failf(field, format string, args ...any) {
	c.faults = append(c.faults, Fault{Field: c.within + c.side + field, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) atLeast(field string, n, least int) {
	if n < least {
		c.failf(field, "%d is below %d", n, least)
	}
}

func (c *checker) positive(field string, d time.Duration) {
	if d <= 0 {
		c.failf(field, "%v is not above zero", d)
	}
}

func (c *checker) notNegative(field string, d time.Duration) {
	if d < 0 {
		c.failf(field, "%v is negative", d)
	}
}

func (c *checker) notNegativeOrNone(field string, d time.Duration) {
	if d < 0 && d != None {
		c.failf(field, "%v is negative", d)
	}
}

func (c *checker) fraction(field string, f float64) {
	if !(f >= 0 && f <= 1) {
		c.failf(field, "%v is not within 0 to 1", f)
	}
}
