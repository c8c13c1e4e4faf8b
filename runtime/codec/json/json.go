package json

import (
	"bytes"
	"sync"
)

// maxPooled is the largest buffer that is kept for the next call.
const maxPooled = 64 << 10

var (
	decoders = sync.Pool{New: func() any { return new(Decoder) }}
	encoders = sync.Pool{New: func() any { return new(Encoder) }}
)

// Unmarshal reads data, which has to be one JSON value, into v: leniently, in
// any direction. Members that data lacks keep their value. The error is a
// *SyntaxError or an *InvalidError; v then holds what could be read.
func Unmarshal(data []byte, v Unmarshaler) error { return UnmarshalMode(data, v, Mode{}) }

// UnmarshalMode is Unmarshal in another mode.
func UnmarshalMode(data []byte, v Unmarshaler, mode Mode) error {
	d := startDecoder(data, mode)
	if d.err == nil {
		v.DecodeJSON(d)
	}
	return finishDecoder(d)
}

// Decode is UnmarshalMode for a value that a Codec reads.
func Decode[T any](data []byte, v *T, c Codec[T], mode Mode) error {
	d := startDecoder(data, mode)
	if d.err == nil {
		c.Decode(d, v)
	}
	return finishDecoder(d)
}

func startDecoder(data []byte, mode Mode) *Decoder {
	d := decoders.Get().(*Decoder)
	d.Start(data, mode)
	return d
}

func finishDecoder(d *Decoder) error {
	d.End()
	err := d.Err()
	// Nothing of the text may outlive the call in the pool.
	d.src, d.key, d.err = "", "", nil
	d.rules.Clear()
	clear(d.found[:cap(d.found)])
	clear(d.keys[:cap(d.keys)])
	if d.sets = nil; cap(d.frames) > len(d.room) {
		d.frames = nil
	}
	if cap(d.keys) <= maxPooled/16 {
		decoders.Put(d)
	}
	return err
}

// Marshal returns the JSON text of v, in any direction.
func Marshal(v Marshaler) ([]byte, error) {
	e := encoders.Get().(*Encoder)
	e.Start(e.buf[:0], Mode{})
	e.Value(v)
	return finishEncoder(e)
}

// Append appends the JSON text of v to dst. Where it fails, dst is returned
// without it.
func Append(dst []byte, v Marshaler, mode Mode) ([]byte, error) {
	e := Encoder{buf: dst, base: len(dst), mode: mode}
	e.Value(v)
	if e.err != nil {
		return dst, e.err
	}
	return e.buf, nil
}

// Encode is Append for a value that a Codec writes.
func Encode[T any](dst []byte, v *T, c Codec[T], mode Mode) ([]byte, error) {
	e := Encoder{buf: dst, base: len(dst), mode: mode}
	c.Encode(&e, v)
	if e.err != nil {
		return dst, e.err
	}
	return e.buf, nil
}

func finishEncoder(e *Encoder) (text []byte, err error) {
	if err = e.Err(); err == nil {
		text = bytes.Clone(e.buf)
	}
	if cap(e.buf) <= maxPooled {
		encoders.Put(e)
	}
	return text, err
}
