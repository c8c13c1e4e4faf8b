package multipart

import "github.com/holdfast-go/holdfast/runtime/codec/param"

// Text is the codec of a file in a urlencoded form or a parameter, as its bytes, for
// a type that is the body of a multipart form in one place and something else in
// another. It reads all of the file.
var Text = param.Codec[File]{
	Format: func(f File) param.Value {
		if f.IsZero() {
			return param.Value{}
		}
		b, err := f.readAll()
		if err != nil {
			return param.InvalidValue("is a file that cannot be read")
		}
		return param.TextValue(string(b))
	},
	Parse: func(r param.Raw) (File, error) {
		text, err := r.Text()
		if err != nil {
			return File{}, err
		}
		return FileBytes("", []byte(text)), nil
	},
}
