package resilience

// For tests in the package resilience_test.
var (
	Glob     = glob
	GlobPath = globPath
)

// Bounds sets how many levels and policies all operations may have together.
func Bounds(laid, made int) Option {
	return func(r *reader) { r.maxLaid, r.maxMade = laid, made }
}
