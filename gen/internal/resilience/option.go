package resilience

// Option changes how annotations are read.
type Option func(*reader)

// NotBuilt are the names of the primitives that this version does not act on yet, on
// either side.
func NotBuilt() []string {
	var names []string
	for _, p := range primitives {
		if p.pending != 0 {
			names = append(names, p.name)
		}
	}
	return names
}

// Pending accepts what the language has and this version does not act on yet, which
// is an error resilience-unsupported otherwise: for tools that only look at policies.
func Pending() Option { return func(r *reader) { r.pending = true } }

// Waived accepts critical findings of these rules wherever they are, as a
// configuration file may; the reasons must not be empty.
func Waived(reasons map[string]string) Option { return func(r *reader) { r.waived = reasons } }
