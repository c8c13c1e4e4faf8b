package fault

// Types of the problems that a server's policies answer with, for callers that have to
// tell apart what has one status.
const (
	// TypeVersionConflict: what was to be changed is not as the caller has read it.
	TypeVersionConflict = "urn:holdfast:problem:version-conflict"
	// TypeVersionRequired: a change has to name the version that it is about.
	TypeVersionRequired = "urn:holdfast:problem:version-required"
	// TypeLockBusy: somebody else works on the same thing.
	TypeLockBusy = "urn:holdfast:problem:lock-busy"
)
