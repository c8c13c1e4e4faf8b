package server

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
)

// Part is a field of a multipart body, as the document declares it.
type Part struct {
	Name string
	// File says that the part is a stream of bytes.
	File bool
	// Many says that the field is a list: there is one part for each item.
	Many     bool
	Required bool
}

// lookahead is how much of a file is kept in memory, in bytes, to find fields that
// come after it.
const lookahead = 1 << 20

// unbounded is a number of bytes that nobody has, with room to count on.
const unbounded = 1 << 62

// Multipart reads a body of several parts as far as it has to. Files are never
// written to disk, and a method is called before the files have arrived:
//
// Fields that are no files are read first. The first file whose fields are all
// there is handed over as it arrives, in constant memory, and so are those after
// it; they are read in the order in which they come. A part that is passed over can
// no longer be read.
//
// Where fields are still missing when a file comes, up to 1 MiB of files is kept in
// memory to find them behind it. After a larger file a field is too late: where the
// field is required the request is refused, and otherwise reading the file ends in
// an error, which the method returns. Lists of files are read into memory, up to the
// limit of a body.
//
// A file that comes after the method was called has no name yet; see [FileInfo]. An
// optional one that never comes reads as empty.
//
// With extra, fields that are not declared are kept for GetExtra. The result is
// nil where there is no body, or none that can be read.
func (s *Request) Multipart(required, extra bool, declared ...Part) *Form {
	if !s.open(required) {
		return nil
	}
	x := s.body.x
	limit := x.endpoint.streamLimit
	if limit >= 0 && s.http.ContentLength > limit {
		s.refuse(tooLarge())
		return nil
	}
	body := s.stream(limit)
	memory := x.endpoint.bodyLimit
	if memory < 0 {
		memory = unbounded
	}
	r, err := multipart.NewReader(body, s.body.media, multipart.Limits{Text: memory})
	if err != nil {
		s.refuse(problem(http.StatusBadRequest, err.Error()))
		return nil
	}
	p := &parts{s: s, reader: r, declared: declared, extra: extra, memory: memory}
	if err = x.arriving(body, p.begin); err != nil {
		p.noteError(err)
		return nil
	}
	if p.streaming {
		x.streaming(body)
	}
	return &Form{s: s, parts: p}
}

// arriving reads a part of a body that is otherwise a stream, which does not count
// as the method's time.
func (x *exchange) arriving(body *bodyReader, read func() error) error {
	if !x.watch(body) {
		x.boundRead()
		defer x.unboundRead()
		return read()
	}
	begin := time.Now()
	err := read()
	if !x.end.IsZero() {
		x.end = x.end.Add(time.Since(begin))
		x.call.Reset(x.end)
	}
	return err
}

// parts is a multipart body that is being read.
type parts struct {
	s        *Request
	reader   *multipart.Reader
	declared []Part
	extra    bool
	memory   int64 // bytes that may still be kept
	ahead    int64 // bytes of files kept
	fields   []textPart
	kept     []filePart

	// From here on, when the method is running.
	mu        sync.Mutex
	streaming bool
	late      []*lateFile
	current   *lateFile // whose part is being read
	end       error     // nothing more can be read
}

type textPart struct{ name, text string }

type filePart struct {
	name string
	file multipart.File
}

func (p *parts) find(name string) *Part {
	for i := range p.declared {
		if p.declared[i].Name == name {
			return &p.declared[i]
		}
	}
	return nil
}

// begin reads until a file can be handed over, or to the end.
func (p *parts) begin() error {
	for {
		part, err := p.reader.Next()
		if isEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		d := p.find(part.Name)
		switch {
		case d == nil && (!p.extra || part.FileName != ""):
			// Nobody asked for it; Next passes over it.
		case d == nil || !d.File:
			err = p.keepText(part)
		case d.Many || p.has(part.Name):
			err = p.keepFile(part)
		case p.complete():
			p.hand(part, nil)
			return nil
		default:
			var done bool
			if done, err = p.lookAhead(part); done {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// complete reports whether no field can come that has to be there before the
// method is called.
func (p *parts) complete() bool {
	if p.extra {
		return false
	}
	for i := range p.declared {
		if d := &p.declared[i]; d.Many || !d.File && !p.has(d.Name) {
			return false
		}
	}
	return true
}

func (p *parts) has(name string) bool {
	return slices.ContainsFunc(p.fields, func(t textPart) bool { return t.name == name }) ||
		slices.ContainsFunc(p.kept, func(f filePart) bool { return f.name == name })
}

func (p *parts) keepText(part *multipart.Part) error {
	text, err := p.take(part, p.memory)
	p.fields = append(p.fields, textPart{part.Name, string(text)})
	return err
}

func (p *parts) keepFile(part *multipart.Part) error {
	data, err := p.take(part, p.memory)
	p.keep(part, data)
	return err
}

func (p *parts) keep(part *multipart.Part, data []byte) {
	f := multipart.FileBytes(part.FileName, data)
	f.ContentType = part.ContentType
	p.kept = append(p.kept, filePart{part.Name, f})
}

// take reads a whole part into memory.
func (p *parts) take(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1)) // one more tells what is too much
	if err == nil && int64(len(data)) > limit {
		err = multipart.ErrTooLarge
	}
	p.memory -= int64(len(data))
	return data, err
}

// lookAhead keeps a file in memory if it is small, since fields may come after
// it. Otherwise the file is handed over, and done is true.
func (p *parts) lookAhead(part *multipart.Part) (done bool, err error) {
	room := min(lookahead-p.ahead, p.memory)
	data, err := io.ReadAll(io.LimitReader(part, max(0, room)+1))
	if err != nil {
		return false, err
	}
	if int64(len(data)) <= room {
		p.ahead += int64(len(data))
		p.memory -= int64(len(data))
		p.keep(part, data)
		return false, nil
	}
	var wrong []check.Violation
	for _, d := range p.declared {
		if d.Required && !p.has(d.Name) && (!d.File || d.Many) {
			v := bodyViolation("required", "is missing: it must come before a file larger than 1 MiB")
			v.Pointer = pointer(d.Name)
			wrong = append(wrong, v)
		}
	}
	if wrong != nil {
		return false, &check.Error{Violations: wrong}
	}
	p.hand(part, data)
	return true, nil
}

// texts are the values of a field.
func (p *parts) texts(name string) []string {
	var list []string
	for _, f := range p.fields {
		if f.name == name {
			list = append(list, f.text)
		}
	}
	return list
}

// others are the names of fields that were not asked for, each once.
func (p *parts) others(asked []string) []string {
	var names []string
	for _, f := range p.fields {
		if !slices.Contains(asked, f.name) && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

func (p *parts) files(name string) []multipart.File {
	if p == nil {
		return nil
	}
	var list []multipart.File
	for _, f := range p.kept {
		if f.name == name {
			list = append(list, f.file)
		}
	}
	return list
}

// noteError notes why the body could not be read.
func (p *parts) noteError(err error) {
	var list *check.Error
	switch {
	case errors.As(err, &list):
		p.s.note(list.Violations...)
		p.s.body.broken = true
	case errors.Is(err, multipart.ErrTooLarge):
		p.s.refuse(tooLarge())
	case errors.Is(err, multipart.ErrTooManyParts):
		p.s.refuse(problem(http.StatusRequestEntityTooLarge, "the request body has too many parts"))
	default:
		p.s.readError(err)
	}
}
