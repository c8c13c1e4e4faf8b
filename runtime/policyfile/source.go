package policyfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// source is a file on disk, and what was last seen of it.
type source struct {
	path string
	info os.FileInfo
	data []byte
	// fresh says that the file was written at about the time when it was read: a
	// change in the same tick of the file system's clock would not show.
	fresh bool
}

// ticks is more than a tick of the clock of any file system in use (FAT has two seconds).
const ticks = 3 * time.Second

// read is the file's content, and whether it is another one than before. The file is
// looked at first, and read only where that shows a change.
func (s *source) read() (data []byte, changed bool, err error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, false, s.lost(err)
	}
	if s.info != nil && !s.fresh && os.SameFile(s.info, info) && s.info.ModTime().Equal(info.ModTime()) && s.info.Size() == info.Size() {
		return s.data, false, nil
	}
	if !info.Mode().IsRegular() {
		return nil, false, s.lost(errors.New("it is no regular file"))
	}
	if info.Size() > MaxBytes {
		return nil, false, s.lost(fmt.Errorf("it has %d bytes, and may have %d", info.Size(), MaxBytes))
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, false, s.lost(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, false, s.lost(err)
	}
	// It may have grown since.
	data, err = io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, false, s.lost(err)
	}
	changed = s.info == nil || !bytes.Equal(data, s.data)
	age := time.Since(info.ModTime())
	s.info, s.data, s.fresh = info, data, age > -ticks && age < ticks
	return data, changed, nil
}

// lost forgets what was seen, so that a file that comes back counts as another one.
func (s *source) lost(err error) error {
	s.info, s.data = nil, nil
	if wrapped, ok := errors.AsType[*os.PathError](err); ok {
		err = wrapped.Err // the path is named anyway
	}
	return &Error{File: s.path, Err: err}
}
