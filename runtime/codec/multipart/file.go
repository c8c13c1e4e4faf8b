package multipart

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
)

// File is a part that is a stream of bytes. A client fills it in, a server
// gets it from the request. The zero File is absent.
type File struct {
	// Name is the file's name as the other side sees it; a server must not use
	// it as a path. Empty is none.
	Name string
	// ContentType of the bytes; empty is what the document says, else
	// application/octet-stream.
	ContentType string
	// Size in bytes where it is known; zero means unknown.
	Size int64
	// Open starts reading from the beginning, as often as it is called; such a
	// file can be sent again.
	Open func() (io.ReadCloser, error)
	// Reader is read once. It does not count when Open is set.
	Reader io.Reader
}

// FileOf is a file of the caller's that is opened when it is sent.
func FileOf(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	return File{
		Name: filepath.Base(path), Size: info.Size(),
		Open: func() (io.ReadCloser, error) { return os.Open(path) },
	}, nil
}

// FileBytes is a file over b, which must not change while it is in use.
func FileBytes(name string, b []byte) File {
	return File{Name: name, Size: int64(len(b)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

// FileReader is a file over r. It can be sent again when r can seek or is a
// buffer.
func FileReader(name string, r io.Reader) File { return File{Name: name, Reader: r} }

// IsZero reports whether the file is absent; it is what omitzero asks.
func (f File) IsZero() bool { return f.Open == nil && f.Reader == nil }

// Source is where the bytes come from.
func (f File) Source() content.Source {
	if f.Open != nil {
		size := f.Size
		if size <= 0 {
			size = content.Unknown
		}
		return content.Source{Size: size, Replayable: true, Open: f.Open}
	}
	s := content.Of(f.Reader)
	if s.Size == content.Unknown && f.Size > 0 {
		s.Size = f.Size
	}
	return s
}
