package worstcase

import (
	"math"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Failure is one way in which every try of a call fails.
type Failure struct {
	// Name is what people call it: "503", "timeout", "connect".
	Name string
	// Hangs says that nothing comes until the try's time is over; otherwise the
	// failure comes at once.
	Hangs bool
	// Status is that of the response; zero for none, and Class tells why.
	Status int
	Class  retry.Class
}

// Failures that every policy meets.
var (
	// Hang is a dependency that takes requests and never answers.
	Hang = Failure{Name: "timeout", Hangs: true, Class: retry.Class{Set: policy.TimeoutErrors}}
	// Unavailable is one that answers 503 at once.
	Unavailable = Failure{Name: "503", Status: 503}
	// TooMany is one that refuses at once, and says not when to come back.
	TooMany = Failure{Name: "429", Status: 429}
	// Unreachable is one that no connection can be made to.
	Unreachable = Failure{Name: "connect", Class: retry.Class{Set: policy.ConnectErrors, Unsent: true}}
)

// Jitter says where in its range each backoff lies.
type Jitter uint8

// The two ends of the range of a backoff.
const (
	Shortest Jitter = iota
	Longest
)

// random is the random number at that end of [0, 1).
func (j Jitter) random() float64 {
	if j == Shortest {
		return 0
	}
	return math.Nextafter(1, 0)
}

// Cut says what ended the time of a try.
type Cut uint8

// What ends a try that hangs. The zero value is a failure that came by itself.
const (
	CutNone    Cut = iota
	CutAttempt     // the attempt timeout
	CutTotal       // the end of the call
	CutHold        // the bound on how long a bulkhead's slot is held
	CutNever       // nothing: the try hangs for ever
)

// String is a word for people.
func (c Cut) String() string {
	return [...]string{"failed", "attempt timeout", "end of the call", "bulkhead hold", "never"}[min(c, CutNever)]
}

// Attempt is one try, in time from the start of the call.
type Attempt struct {
	Number     int
	Start, End time.Duration
	// Wait is the backoff before it, zero for the first.
	Wait time.Duration
	// Granted is the time that the try has; zero is no bound.
	Granted time.Duration
	Cut     Cut
}

// Stop is why no further try follows.
type Stop uint8

// Why the tries end.
const (
	StopAttempts  Stop = iota // all tries are used
	StopDeadline              // another one does not fit what is left of the time
	StopEffect                // a repeat is not safe
	StopFinal                 // this failure is not repeated
	StopOff                   // the policy makes one try
	StopNever                 // the last try never ends
	StopNoAttempt             // not even the first one has the time that it needs
)

// String is a phrase for people.
func (s Stop) String() string {
	return [...]string{
		"all tries are used", "another try does not fit", "a repeat is not safe", "this failure is not repeated",
		"the policy makes one try", "nothing ends it", "there is no time for a try",
	}[min(s, StopNoAttempt)]
}

// Timeline is a call of which every try fails in the same way.
type Timeline struct {
	Attempts []Attempt
	// End is when the tries are over, without the rungs of a fallback. It says
	// nothing under StopNever.
	End  time.Duration
	Stop Stop
	// Counts says that the breaker takes the call for a failure. It does not when
	// the last try was cut so short by the end of the call that it proves nothing,
	// and not for 429.
	Counts bool
}

// Play is the timeline of a call under a policy. Keyed says that it carries an
// idempotency key. The bulkhead has a free slot and the budget a retry to give:
// what waits and what refuses for other calls' sake is not this call's.
func Play(c *policy.Client, keyed bool, f Failure, j Jitter) Timeline {
	p := newPlan(c, keyed)
	var line Timeline
	now, before := time.Duration(0), time.Duration(0)
	wait := time.Duration(0)
	for n := 1; ; n++ {
		granted, ok := p.grant(now)
		if !ok {
			// After a wait this takes a floor of zero: the wait may then last to the
			// very end.
			line.Stop, line.End = StopDeadline, now
			if n == 1 {
				line.Stop = StopNoAttempt
			}
			return line
		}
		a := Attempt{Number: n, Start: now, End: now, Wait: wait, Granted: granted}
		if f.Hangs {
			a.End, a.Cut = p.hang(now, granted)
		}
		line.Attempts = append(line.Attempts, a)
		line.End, now = a.End, a.End
		verdict := p.judge(f)
		line.Counts = verdict.Do != retry.Success && p.counts(f, granted)
		if a.Cut == CutNever {
			line.Stop = StopNever
			return line
		}
		if line.Stop = p.admissible(f, verdict, n); line.Stop != stopNot {
			return line
		}
		if wait, ok = p.wait(verdict, n, now, &before, j.random()); !ok {
			line.Stop = StopDeadline
			return line
		}
		now = add(now, wait)
	}
}

// stopNot is the absence of a reason to stop.
const stopNot Stop = math.MaxUint8

// plan is a policy with what follows from it for every call.
type plan struct {
	client  *policy.Client
	timeout policy.Timeout
	attempt time.Duration // zero is no bound
	total   time.Duration // for the tries; None is no bound
	reserve time.Duration
	tries   int
	keyed   bool
}

func newPlan(c *policy.Client, keyed bool) *plan {
	p := &plan{client: c, tries: 1, keyed: keyed, total: policy.None}
	if c.Retry != nil && c.Retry.Mode == policy.Enforce {
		p.tries = max(1, c.Retry.MaxAttempts)
	}
	if d := c.Deadline; d != nil && d.Propagate && d.Mode == policy.Enforce {
		p.reserve = d.Reserve
	}
	if c.Timeout == nil {
		return p
	}
	p.timeout = *c.Timeout
	if p.timeout.Mode == policy.Shadow {
		return p
	}
	p.attempt, p.total = p.timeout.Attempt, Total(c)
	if p.timeout.Adaptive {
		// It follows what is observed, up to here.
		p.attempt = max(p.attempt, p.timeout.Ceiling)
	}
	if p.total >= 0 {
		// Rungs on the wire come after the tries, in time that is theirs, but for
		// half of the total at most.
		p.total -= min(sum(Reserves(c)), p.total/2)
	}
	return p
}

// end is D as a time; the call starts at the epoch.
func (p *plan) end() time.Time {
	if p.total < 0 {
		return time.Time{}
	}
	return at(p.total)
}

// at is a moment of the call. Year 1 is far enough from the zero time, which is no
// deadline.
func at(d time.Duration) time.Time { return time.Unix(0, 0).Add(d) }

// grant is what a try that starts now gets.
func (p *plan) grant(now time.Duration) (time.Duration, bool) {
	return deadline.Try(at(now), p.end(), p.attempt, p.timeout.Floor, p.reserve)
}

// hang is when a try is over that nobody answers, and why.
func (p *plan) hang(start, granted time.Duration) (time.Duration, Cut) {
	cut := CutAttempt
	switch {
	case granted <= 0:
		cut = CutNever
	case p.attempt <= 0 || granted < p.attempt:
		cut = CutTotal
	}
	b := p.client.Bulkhead
	if b != nil && b.Hold > 0 && b.Mode == policy.Enforce && (granted <= 0 || b.Hold < granted) {
		return add(start, b.Hold), CutHold
	}
	return add(start, granted), cut
}

// judge classifies a failure as the runtime does.
func (p *plan) judge(f Failure) retry.Verdict {
	if p.client.Retry == nil {
		return retry.Verdict{Refused: f.Status == 429}
	}
	return retry.Judge(p.client.Retry, retry.Observation{Status: f.Status, Class: f.Class, Keyed: p.keyed})
}

// admissible is why try n is the last one, stopNot if it is not.
func (p *plan) admissible(f Failure, v retry.Verdict, n int) Stop {
	r := p.client.Retry
	switch {
	case r == nil:
		return StopOff
	case v.Do != retry.Retry:
		return StopFinal
	case p.tries == 1:
		return StopOff
	case n >= p.tries:
		return StopAttempts
	case !retry.Repeatable(r, p.client.Effect, p.keyed, f.Class.Unsent, v.Refused):
		return StopEffect
	}
	return stopNot
}

// wait is the pause after try n, or false where another try would not fit after
// it.
func (p *plan) wait(v retry.Verdict, n int, now time.Duration, before *time.Duration, random float64) (time.Duration, bool) {
	r, floor := p.client.Retry, p.timeout.Floor
	if v.Wait <= 0 {
		*before = retry.Delay(r, n, *before, random)
		return *before, deadline.Fits(at(now), p.end(), *before, floor, p.reserve)
	}
	// A rule's own wait is treated like a server's hint.
	if !deadline.Fits(at(now), p.end(), v.Wait, floor, p.reserve) {
		return 0, false
	}
	wait := retry.HintDelay(r, n, v.Wait, random)
	if p.total >= 0 {
		wait = max(v.Wait, min(wait, p.total-now-floor-p.reserve))
	}
	return wait, true
}

// counts reports whether the breaker takes a call for a failure that ends with
// this one.
func (p *plan) counts(f Failure, granted time.Duration) bool {
	if !f.Hangs {
		return f.Status == 0 || f.Status >= 500 || f.Status == 408
	}
	// A try that was cut short by the call's own end proves nothing, unless it had
	// a fair time.
	fair := time.Second
	if p.attempt > 0 {
		fair = min(fair, p.attempt)
	}
	return granted <= 0 || granted >= fair
}
