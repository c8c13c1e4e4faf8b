package policy

import "github.com/holdfast-go/holdfast/runtime/internal/show"

// Policies print as the language writes them: durations as 2s, enumerations and sets of
// statuses as their words, nested settings in place of pointers. What is off, or zero, is
// left out. As JSON they have the same members.

// String is the policy on one line, for logs and debuggers.
func (s Spec) String() string { return show.Flow(s) }

// MarshalJSON is the policy as JSON, for people and programs that show it. It is not read
// back.
func (s Spec) MarshalJSON() ([]byte, error) { return show.JSON(s), nil }

// String is the policy on one line, as that of [Spec].
func (c Client) String() string { return show.Flow(c) }

// MarshalJSON is that of [Spec].
func (c Client) MarshalJSON() ([]byte, error) { return show.JSON(c), nil }

// String is the policy on one line, as that of [Spec].
func (s Server) String() string { return show.Flow(s) }

// MarshalJSON is that of [Spec].
func (s Server) MarshalJSON() ([]byte, error) { return show.JSON(s), nil }

// String is the setting on one line, as that of [Spec].
func (t Timeout) String() string { return show.Flow(t) }

// MarshalJSON is that of [Spec].
func (t Timeout) MarshalJSON() ([]byte, error) { return show.JSON(t), nil }

// String is the setting on one line, as that of [Spec].
func (t ServerTimeout) String() string { return show.Flow(t) }

// MarshalJSON is that of [Spec].
func (t ServerTimeout) MarshalJSON() ([]byte, error) { return show.JSON(t), nil }

// String is the setting on one line, as that of [Spec].
func (d Deadline) String() string { return show.Flow(d) }

// MarshalJSON is that of [Spec].
func (d Deadline) MarshalJSON() ([]byte, error) { return show.JSON(d), nil }

// String is the setting on one line, as that of [Spec].
func (r Retry) String() string { return show.Flow(r) }

// MarshalJSON is that of [Spec].
func (r Retry) MarshalJSON() ([]byte, error) { return show.JSON(r), nil }

// String is the setting on one line, as that of [Spec].
func (b Budget) String() string { return show.Flow(b) }

// MarshalJSON is that of [Spec].
func (b Budget) MarshalJSON() ([]byte, error) { return show.JSON(b), nil }

// String is the setting on one line, as that of [Spec].
func (b Breaker) String() string { return show.Flow(b) }

// MarshalJSON is that of [Spec].
func (b Breaker) MarshalJSON() ([]byte, error) { return show.JSON(b), nil }

// String is the setting on one line, as that of [Spec].
func (b Bulkhead) String() string { return show.Flow(b) }

// MarshalJSON is that of [Spec].
func (b Bulkhead) MarshalJSON() ([]byte, error) { return show.JSON(b), nil }

// String is the setting on one line, as that of [Spec].
func (r RateLimit) String() string { return show.Flow(r) }

// MarshalJSON is that of [Spec].
func (r RateLimit) MarshalJSON() ([]byte, error) { return show.JSON(r), nil }

// String is the setting on one line, as that of [Spec].
func (i Idempotency) String() string { return show.Flow(i) }

// MarshalJSON is that of [Spec].
func (i Idempotency) MarshalJSON() ([]byte, error) { return show.JSON(i), nil }

// String is the setting on one line, as that of [Spec].
func (h Hedge) String() string { return show.Flow(h) }

// MarshalJSON is that of [Spec].
func (h Hedge) MarshalJSON() ([]byte, error) { return show.JSON(h), nil }

// String is the setting on one line, as that of [Spec].
func (f Fallback) String() string { return show.Flow(f) }

// MarshalJSON is that of [Spec].
func (f Fallback) MarshalJSON() ([]byte, error) { return show.JSON(f), nil }

// String is the setting on one line, as that of [Spec].
func (c Cache) String() string { return show.Flow(c) }

// MarshalJSON is that of [Spec].
func (c Cache) MarshalJSON() ([]byte, error) { return show.JSON(c), nil }

// String is the setting on one line, as that of [Spec].
func (c Concurrency) String() string { return show.Flow(c) }

// MarshalJSON is that of [Spec].
func (c Concurrency) MarshalJSON() ([]byte, error) { return show.JSON(c), nil }

// String is the setting on one line, as that of [Spec].
func (l Lock) String() string { return show.Flow(l) }

// MarshalJSON is that of [Spec].
func (l Lock) MarshalJSON() ([]byte, error) { return show.JSON(l), nil }

// String is the setting on one line, as that of [Spec].
func (s Shed) String() string { return show.Flow(s) }

// MarshalJSON is that of [Spec].
func (s Shed) MarshalJSON() ([]byte, error) { return show.JSON(s), nil }
