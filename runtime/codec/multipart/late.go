package multipart

import (
	"bytes"
	"errors"
	"io"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// hand begins to hand files over: this one, of which some bytes were read, and
// those that are still to come.
func (f *Form) hand(part *Part, read []byte) error {
	f.streaming = true
	for i := range f.opt.Declared {
		d := &f.opt.Declared[i]
		if !d.File || f.has(d.Name) || d.early(part.Name) {
			continue
		}
		l := &lateFile{form: f, name: d.Name, required: d.Required}
		kept := filePart{name: d.Name, file: File{Reader: l}}
		if d.Name == part.Name {
			l.arrive(part, read)
			f.current = l
			kept.file.Name, kept.file.ContentType = part.FileName, part.ContentType
			if err := f.chargeHeader(part, d); err != nil {
				return err
			}
			kept.header = part.Header
		}
		f.late = append(f.late, l)
		f.kept = append(f.kept, kept)
	}
	return nil
}

// lateFile is a file that is read as it arrives.
type lateFile struct {
	form     *Form
	name     string
	required bool
	part     io.Reader
	fileName string
	media    string
	err      error
}

func (l *lateFile) arrive(part *Part, read []byte) {
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
	f := l.form
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.reach(l); err != nil {
		return 0, err
	}
	n, err := l.part.Read(b)
	if isEnd(err) {
		// What follows may be a field that is too late, which must not get lost.
		if after := f.next(); after != nil {
			err = after
		}
	} else if err != nil {
		err = f.fault(err)
	}
	if err != nil {
		l.err = err
	}
	return n, err
}

// fault is an error of the body as the reader of a file gets it.
func (f *Form) fault(err error) error {
	if f.opt.Late == nil {
		return err
	}
	return f.opt.Late(err)
}

func (f *Form) wrong(name, rule, detail string) error {
	return f.fault(&check.Error{Violations: []check.Violation{violation(name, rule, detail)}})
}

// reach goes on to the part of a file. The lock is held.
func (f *Form) reach(l *lateFile) error {
	for l.err == nil && l.part == nil {
		if f.current != nil && f.current.err == nil {
			f.current.err = errPassed
		}
		if err := f.next(); err != nil {
			l.err = err
			break
		}
		if isEnd(f.end) && l.part == nil {
			l.err = io.EOF
			if l.required {
				l.err = f.wrong(l.name, "required", "is missing")
			}
		}
	}
	return l.err
}

// next moves to the next file that somebody waits for. The end of the body is no
// error. The lock is held.
func (f *Form) next() error {
	for {
		if f.end != nil {
			if isEnd(f.end) {
				f.ended()
				return nil
			}
			return f.end
		}
		part, err := f.reader.Next()
		if err != nil {
			if f.end = err; !isEnd(err) {
				f.end = f.fault(err)
			}
			continue
		}
		d := f.find(part.Name)
		if d == nil && (!f.opt.Extra || part.FileName != "") {
			continue
		}
		if d == nil || !d.File || d.Many {
			f.end = f.wrong(part.Name, "required", "came too late: it must come before a file larger than 1 MiB")
			continue
		}
		if f.arrived(part) {
			return nil
		}
		if d.Headers && !f.has(d.Name) {
			f.end = f.wrong(part.Name, "required", "came too late: it must come before a file larger than 1 MiB")
			continue
		}
		f.end = f.wrong(part.Name, "style", "is given more than once")
	}
}

// arrived gives a part to the file that waits for it; false where none does.
func (f *Form) arrived(part *Part) bool {
	for _, l := range f.late {
		if l.name == part.Name && l.part == nil {
			l.arrive(part, nil)
			f.current = l
			return true
		}
	}
	return false
}

// FileInfo is the name and the content type of a file that was received. It waits for
// the file to arrive, and passes over what comes before it; ok is false where it
// never comes.
func FileInfo(f File) (name, contentType string, ok bool) {
	l, late := f.Reader.(*lateFile)
	if !late {
		return f.Name, f.ContentType, !f.IsZero()
	}
	l.form.mu.Lock()
	defer l.form.mu.Unlock()
	if l.part == nil && l.form.reach(l) != nil {
		return "", "", false
	}
	return l.fileName, l.media, true
}
