// Package output takes generated files from memory to the disk: it verifies
// them, compares them with what stands in the target folder, shows the
// difference, and writes all of them or none.
//
// A file that does not carry our header ([Mark]) belongs to the user: it is
// never overwritten and never removed. Everything on disk is reached through an
// [os.Root], so that no symbolic link leads out of the target folder.
package output

// File is one generated file in memory.
type File struct {
	// Path is relative to the target folder, with forward slashes.
	Path string
	// Data is the whole content.
	Data []byte
}
