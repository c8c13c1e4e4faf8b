package multipart

import (
	"io"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// JSON is the codec of a file in a JSON text, as base64, for a type that is the body
// of a form in one place and JSON in another. It reads all of the file.
var JSON = json.Codec[File]{
	Decode: func(d *json.Decoder, f *File) { *f = FileBytes("", d.Bytes()) },
	Encode: func(e *json.Encoder, f *File) {
		b, err := f.readAll()
		if err != nil {
			e.Fail("the file cannot be read: " + err.Error())
			return
		}
		e.Bytes(b)
	},
}

// readAll reads the content; the zero File has none.
func (f File) readAll() (b []byte, err error) {
	if f.Open == nil {
		if f.Reader == nil {
			return nil, nil
		}
		return io.ReadAll(f.Reader)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := r.Close(); err == nil {
			err = closed
		}
	}()
	return io.ReadAll(r)
}
