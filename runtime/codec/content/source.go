package content

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// Unknown is the Size of a Source whose length is not known.
const Unknown = -1

// ErrConsumed is returned when a source that can be read once is opened again.
var ErrConsumed = errors.New("the body was read before and cannot be replayed")

// Source is where a body comes from. It is used by one call at a time.
type Source struct {
	// Size is the number of bytes, or Unknown.
	Size int64
	// Replayable says that Open can be called again and gives the same bytes.
	Replayable bool
	// Local says that reading waits for nothing but memory and regular files.
	Local bool
	// Open starts reading from the beginning. Closing what it returns does not
	// close a reader that the caller gave.
	Open func() (io.ReadCloser, error)
}

// Of looks at what a reader is. Buffers, strings, files and everything that
// can seek have a size and can be read again, from where they stand now.
// Anything else is read once. A nil reader, or a nil pointer in one, is an
// empty body.
func Of(r io.Reader) Source {
	switch r := r.(type) {
	case nil:
		return empty()
	case *bytes.Buffer:
		if r == nil {
			return empty()
		}
		return Bytes(r.Bytes())
	case *bytes.Reader:
		if r == nil {
			return empty()
		}
		return ofReaderAt(r, r.Size()-int64(r.Len()), r.Size())
	case *strings.Reader:
		if r == nil {
			return empty()
		}
		return ofReaderAt(r, r.Size()-int64(r.Len()), r.Size())
	case *os.File:
		if r == nil {
			return empty()
		}
		return ofFile(r)
	case io.ReadSeeker:
		return ofSeeker(r)
	}
	return ofReader(r)
}

// Bytes is a source over b, which must not change while it is in use.
func Bytes(b []byte) Source {
	return Source{Size: int64(len(b)), Replayable: true, Local: true, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

func empty() Source { return Bytes(nil) }

// ofReaderAt reads through sections of its own, so that a try that is still
// being written does not move the place of the next one.
func ofReaderAt(r io.ReaderAt, start, end int64) Source {
	return Source{Size: end - start, Replayable: true, Local: true, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(r, start, end-start)), nil
	}}
}

// ofFile is replayable for regular files only: pipes and devices seek without
// an error on some systems and give nothing the second time.
func ofFile(f *os.File) Source {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ofReader(f)
	}
	start, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return ofReader(f)
	}
	return ofReaderAt(f, min(start, info.Size()), info.Size())
}

func ofSeeker(r io.ReadSeeker) Source {
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return ofReader(r)
	}
	end, err := r.Seek(0, io.SeekEnd)
	if err != nil || end < start {
		return ofReader(r)
	}
	if _, err = r.Seek(start, io.SeekStart); err != nil {
		return ofReader(r)
	}
	return Source{Size: end - start, Replayable: true, Open: func() (io.ReadCloser, error) {
		if _, err := r.Seek(start, io.SeekStart); err != nil {
			return nil, err
		}
		return io.NopCloser(io.LimitReader(r, end-start)), nil
	}}
}

func ofReader(r io.Reader) Source {
	used := false
	return Source{Size: Unknown, Open: func() (io.ReadCloser, error) {
		if used {
			return nil, ErrConsumed
		}
		used = true
		return io.NopCloser(r), nil
	}}
}
