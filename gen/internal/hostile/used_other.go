//go:build !unix

package hostile

import "time"

var begin = time.Now()

// used is the time since the start, where the time of the processor is not known.
func used() time.Duration { return time.Since(begin) }
