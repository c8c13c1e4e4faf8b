package runtime

import "embed"

// Sources holds the Go files of every package below this one, by their paths
// from here ("retry/retry.go"), for the copies that `holdfast generate
// --runtime vendor` makes. Test files are among them, since the patterns below
// cannot leave them out; whoever copies does.
//
// Programs do not carry this: no package of the runtime imports this one.
//
//go:embed */*.go */*/*.go
var Sources embed.FS
