package server

import (
	"bytes"
	"errors"
	"io"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
)

// hand begins to hand files over: this one, of which some bytes were read, and
// those that are still to come.
func (p *parts) hand(part *multipart.Part, read []byte) {
	p.streaming = true
	for _, d := range p.declared {
		if !d.File || d.Many || p.has(d.Name) {
			continue
		}
		l := &lateFile{parts: p, name: d.Name, required: d.Required}
		f := multipart.File{Reader: l}
		if d.Name == part.Name {
			l.arrive(part, read)
			p.current = l
			f.Name, f.ContentType = part.FileName, part.ContentType
		}
		p.late = append(p.late, l)
		p.kept = append(p.kept, filePart{d.Name, f})
	}
}

// lateFile is a file that is read as it arrives.
type lateFile struct {
	parts    *parts
	name     string
	required bool
	part     io.Reader
	fileName string
	media    string
	err      error
}

func (l *lateFile) arrive(part *multipart.Part, read []byte) {
	l.part, l.fileName, l.media = part, part.FileName, part.ContentType
	if len(read) > 0 {
		l.part = io.MultiReader(bytes.NewReader(read), part)
	}
}

// errPassed is given to one who reads a file that another was read before.
var errPassed = errors.New("the file was passed over: files are read in the order in which they arrive")

// Read reads on in the file, and waits for it to arrive. Several goroutines may
// read, one after the other.
func (l *lateFile) Read(b []byte) (int, error) {
	p := l.parts
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.reach(l); err != nil {
		return 0, err
	}
	n, err := l.part.Read(b)
	if isEnd(err) {
		// What follows may be a field that is too late, which must not get lost.
		if after := p.next(); after != nil {
			err = after
		}
	}
	if err != nil {
		l.err = err
	}
	return n, err
}

// reach goes on to the part of a file. The lock is held.
func (p *parts) reach(l *lateFile) error {
	for l.err == nil && l.part == nil {
		if p.current != nil && p.current.err == nil {
			p.current.err = errPassed
		}
		if err := p.next(); err != nil {
			l.err = err
			break
		}
		if isEnd(p.end) && l.part == nil {
			l.err = io.EOF
			if l.required {
				v := bodyViolation("required", "is missing")
				v.Pointer = pointer(l.name)
				l.err = &requestError{&check.Error{Violations: []check.Violation{v}}}
			}
		}
	}
	return l.err
}

// next moves to the next file that somebody waits for. The end of the body is no
// error. The lock is held.
func (p *parts) next() error {
	for {
		if p.end != nil {
			if isEnd(p.end) {
				return nil
			}
			return p.end
		}
		part, err := p.reader.Next()
		if err != nil {
			p.end = err
			continue
		}
		d := p.find(part.Name)
		if d == nil && (!p.extra || part.FileName != "") {
			continue
		}
		if d == nil || !d.File || d.Many {
			v := bodyViolation("required", "came too late: it must come before a file larger than 1 MiB")
			v.Pointer = pointer(part.Name)
			p.end = &requestError{&check.Error{Violations: []check.Violation{v}}}
			continue
		}
		for _, l := range p.late {
			if l.name == part.Name && l.part == nil {
				l.arrive(part, nil)
				p.current = l
				return nil
			}
		}
		v := bodyViolation("style", "is given more than once")
		v.Pointer = pointer(part.Name)
		p.end = &requestError{&check.Error{Violations: []check.Violation{v}}}
	}
}

// FileInfo is the name and the content type of a file in a request. It waits for
// the file to arrive, and passes over what comes before it; ok is false where it
// never comes.
func FileInfo(f multipart.File) (name, contentType string, ok bool) {
	l, late := f.Reader.(*lateFile)
	if !late {
		return f.Name, f.ContentType, !f.IsZero()
	}
	l.parts.mu.Lock()
	defer l.parts.mu.Unlock()
	if l.part == nil && l.parts.reach(l) != nil {
		return "", "", false
	}
	return l.fileName, l.media, true
}
