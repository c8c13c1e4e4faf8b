package multipart

import (
	"io"
	"net/textproto"
	"slices"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// Declared is a field of a multipart body, as the document declares it.
type Declared struct {
	Name string
	// File says that the part is a stream of bytes.
	File bool
	// Many says that the field is a list: there is one part for each item.
	Many     bool
	Required bool
	// Headers says that the headers of the part are read, so that a file among
	// others has to be there before the first is handed over.
	Headers bool
}

// FormOptions say how a Form is read.
type FormOptions struct {
	Declared []Declared
	// Extra keeps fields that are not declared.
	Extra bool
	// Memory is the number of bytes that may be kept: of fields, of the headers that
	// are read, and of files that are not handed over as they arrive.
	Memory int64
	// Whole keeps all files in memory: none is handed over as it arrives.
	Whole bool
	// Late makes what the reader of a file gets of a fault in the body, a *check.Error
	// among others. nil leaves it as it is.
	Late func(error) error
	// End is called when the body was read to its last part, at most once. It may be
	// nil.
	End func()
}

// lookahead is how much of a file is kept in memory, in bytes, to find fields that
// come after it.
const lookahead = 1 << 20

// Form is a body of several parts that is read as far as it has to be, so that its
// fields are there before its files have arrived. Files are never written to disk:
//
// Fields that are no files are read first. The first file whose fields are all there
// is handed over as it arrives, in constant memory, and so are those after it; they
// are read in the order in which they come. A part that is passed over can no longer
// be read.
//
// Where fields are still missing when a file comes, up to 1 MiB of files is kept in
// memory to find them behind it. After a larger file a field is too late: where it is
// required the form cannot be read, and otherwise reading the file ends in an error.
// Lists of files are read into memory. A file whose headers are read counts as a
// field, unless it is the one that is handed over first.
//
// A file that comes late has no name yet; see [FileInfo]. An optional one that never
// comes reads as empty.
type Form struct {
	reader *Reader
	opt    FormOptions
	memory int64 // bytes that may still be kept
	ahead  int64 // bytes of files kept
	fields []textPart
	kept   []filePart

	// From here on, when files are handed over.
	mu        sync.Mutex
	streaming bool
	late      []*lateFile
	current   *lateFile // whose part is being read
	end       error     // nothing more can be read
}

type textPart struct {
	name, text string
	header     textproto.MIMEHeader
}

type filePart struct {
	name   string
	file   File
	header textproto.MIMEHeader
}

// ReadForm reads until a file can be handed over, or to the end. The error is one of
// reading, of this package, or a *check.Error.
func ReadForm(r *Reader, opt FormOptions) (*Form, error) {
	f := &Form{reader: r, opt: opt, memory: opt.Memory}
	if err := f.begin(); err != nil {
		return nil, err
	}
	return f, nil
}

// Streaming reports whether files are handed over as they arrive: reading them reads
// on in the body.
func (f *Form) Streaming() bool { return f.streaming }

func (f *Form) find(name string) *Declared {
	for i := range f.opt.Declared {
		if f.opt.Declared[i].Name == name {
			return &f.opt.Declared[i]
		}
	}
	return nil
}

func (f *Form) begin() error {
	for {
		part, err := f.reader.Next()
		if isEnd(err) {
			f.ended()
			return nil
		}
		if err != nil {
			return err
		}
		if done, err := f.place(part); done || err != nil {
			return err
		}
	}
}

// place keeps a part, or hands it over: then done is true.
func (f *Form) place(part *Part) (done bool, err error) {
	d := f.find(part.Name)
	switch {
	case d == nil && (!f.opt.Extra || part.FileName != ""):
		return false, nil // nobody asked for it; Next passes over it
	case d == nil || !d.File:
		return false, f.keepText(part, d)
	case d.Many || f.opt.Whole || f.has(part.Name):
		return false, f.keepFile(part)
	case f.complete(part.Name):
		return true, f.hand(part, nil)
	}
	return f.lookAhead(part)
}

// complete reports whether no field can come that has to be there before the file of
// that name is handed over.
func (f *Form) complete(name string) bool {
	if f.opt.Extra {
		return false
	}
	for i := range f.opt.Declared {
		if d := &f.opt.Declared[i]; d.Many || !f.has(d.Name) && d.early(name) {
			return false
		}
	}
	return true
}

// early reports a field that has to be there before the file of that name is handed
// over.
func (d *Declared) early(name string) bool {
	return !d.File || d.Many || d.Headers && d.Name != name
}

func (f *Form) has(name string) bool {
	return slices.ContainsFunc(f.fields, func(t textPart) bool { return t.name == name }) ||
		slices.ContainsFunc(f.kept, func(t filePart) bool { return t.name == name })
}

func (f *Form) keepText(part *Part, d *Declared) error {
	if err := f.chargeHeader(part, d); err != nil {
		return err
	}
	text, err := f.take(part, f.memory)
	f.fields = append(f.fields, textPart{part.Name, string(text), part.Header})
	return err
}

// chargeHeader counts the header of a part that is kept where somebody reads it; of any
// other only what says which part it is stays.
func (f *Form) chargeHeader(part *Part, d *Declared) error {
	size := len(part.Name) + len(part.FileName) + len(part.ContentType)
	if d == nil || !d.Headers {
		part.Header = nil
	} else {
		size = headerSize(part.Header)
	}
	if f.memory -= int64(size); f.memory < 0 {
		return ErrTooLarge
	}
	return nil
}

func (f *Form) keepFile(part *Part) error {
	data, err := f.take(part, f.memory)
	if err != nil {
		return err
	}
	return f.keep(part, data)
}

func (f *Form) keep(part *Part, data []byte) error {
	if err := f.chargeHeader(part, f.find(part.Name)); err != nil {
		return err
	}
	file := FileBytes(part.FileName, data)
	file.ContentType = part.ContentType
	f.kept = append(f.kept, filePart{part.Name, file, part.Header})
	return nil
}

// take reads a whole part into memory.
func (f *Form) take(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1)) // one more tells what is too much
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge
	}
	f.memory -= int64(len(data))
	return data, err
}

// lookAhead keeps a file in memory if it is small, since fields may come after
// it. Otherwise the file is handed over, and done is true.
func (f *Form) lookAhead(part *Part) (done bool, err error) {
	room := min(lookahead-f.ahead, f.memory)
	data, err := io.ReadAll(io.LimitReader(part, max(0, room)+1))
	if err != nil {
		return false, err
	}
	if int64(len(data)) <= room {
		f.ahead += int64(len(data))
		f.memory -= int64(len(data))
		return false, f.keep(part, data)
	}
	var wrong []check.Violation
	for i := range f.opt.Declared {
		if d := &f.opt.Declared[i]; d.Required && !f.has(d.Name) && d.early(part.Name) {
			wrong = append(wrong, violation(d.Name, "required", "is missing: it must come before a file larger than 1 MiB"))
		}
	}
	if wrong != nil {
		return false, &check.Error{Violations: wrong}
	}
	return true, f.hand(part, data)
}

// violation is what is wrong with a part.
func violation(name, rule, detail string) check.Violation {
	return check.Violation{In: check.InBody, Pointer: string(check.AppendPointer(nil, name)), Rule: rule, Detail: detail}
}

// Texts are the values of a field.
func (f *Form) Texts(name string) []string {
	var list []string
	for i := range f.fields {
		if f.fields[i].name == name {
			list = append(list, f.fields[i].text)
		}
	}
	return list
}

// Others are the names of fields that were not asked for, each once.
func (f *Form) Others(asked []string) []string {
	var names []string
	for i := range f.fields {
		if name := f.fields[i].name; !slices.Contains(asked, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Files are the files of a name.
func (f *Form) Files(name string) []File {
	if f == nil {
		return nil
	}
	var list []File
	for i := range f.kept {
		if f.kept[i].name == name {
			list = append(list, f.kept[i].file)
		}
	}
	return list
}

// Heads are the headers of the parts of a name, one for each.
func (f *Form) Heads(name string) []textproto.MIMEHeader {
	var list []textproto.MIMEHeader
	for i := range f.fields {
		if f.fields[i].name == name {
			list = append(list, f.fields[i].header)
		}
	}
	for i := range f.kept {
		if f.kept[i].name == name {
			list = append(list, f.kept[i].header)
		}
	}
	return list
}

// ended tells once that the last part was read.
func (f *Form) ended() {
	if end := f.opt.End; end != nil {
		f.opt.End = nil
		end()
	}
}

// isEnd reports whether a reader has come to its end, which it says by io.EOF and by
// nothing that wraps it.
func isEnd(err error) bool { return err == io.EOF } //nolint:errorlint // As said.
