package resilience

// For tests in the package resilience_test.
var (
	Glob     = glob
	GlobPath = globPath
)
