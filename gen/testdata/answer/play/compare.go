package play

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// comparer compares what arrived with what was sent, in depth. Streams are read.
type comparer struct {
	hidden map[string]bool // fields that are not sent
	filled map[string]bool // fields that the receiver fills in when they are absent
}

func set(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// compare is an error that names the first place where the two differ. Both must be
// addressable.
func (c *comparer) compare(path string, want, got reflect.Value) error {
	want, got = exposed(want), exposed(got)
	if streams(want) || streams(got) {
		return c.streams(path, want, got)
	}
	if want.Type() != got.Type() {
		return fmt.Errorf("%s: sent %s, got %s", path, want.Type(), got.Type())
	}
	switch want.Kind() {
	case reflect.Pointer, reflect.Interface:
		if want.IsNil() || got.IsNil() {
			if want.IsNil() != got.IsNil() {
				return differ(path, want, got)
			}
			return nil
		}
		return c.compare(path, addressable(want.Elem()), addressable(got.Elem()))
	case reflect.Struct:
		return c.structs(path, want, got)
	case reflect.Slice:
		return c.slices(path, want, got)
	case reflect.Array:
		return c.items(path, want, got)
	case reflect.Map:
		return c.maps(path, want, got)
	}
	if !want.Equal(got) {
		return differ(path, want, got)
	}
	return nil
}

func (c *comparer) structs(path string, want, got reflect.Value) error {
	if t, ok := reflect.TypeAssert[time.Time](want); ok {
		if !t.Equal(got.Interface().(time.Time)) {
			return differ(path, want, got)
		}
		return nil
	}
	for i := range want.NumField() {
		f := want.Type().Field(i)
		name := want.Type().Name() + "." + f.Name
		if f.Type == reflect.TypeFor[*client.Body]() && !f.IsExported() {
			continue // what the files beside it are read from
		}
		if c.hidden[name] || c.filled[name] && want.Field(i).IsZero() {
			continue
		}
		if f.Name == "ContentType" && f.Type.Kind() == reflect.String && sameType(want.Field(i).String(), got.Field(i).String()) {
			continue
		}
		if err := c.compare(path+"."+f.Name, want.Field(i), got.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// slices takes JSON text as what it means.
func (c *comparer) slices(path string, want, got reflect.Value) error {
	if want.IsNil() != got.IsNil() {
		return differ(path, want, got)
	}
	if a, ok := reflect.TypeAssert[value.Raw](want); ok {
		var x, y bytes.Buffer
		b := got.Interface().(value.Raw)
		if len(a) == 0 && len(b) == 0 {
			return nil
		}
		err := errors.Join(json.Compact(&x, a), json.Compact(&y, b))
		if err != nil || !bytes.Equal(x.Bytes(), y.Bytes()) {
			return fmt.Errorf("%s: sent %s, got %s", path, x.Bytes(), y.Bytes())
		}
		return nil
	}
	return c.items(path, want, got)
}

func (c *comparer) items(path string, want, got reflect.Value) error {
	if want.Len() != got.Len() {
		return differ(path, want, got)
	}
	for i := range want.Len() {
		if err := c.compare(path+"["+strconv.Itoa(i)+"]", want.Index(i), got.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparer) maps(path string, want, got reflect.Value) error {
	if want.IsNil() != got.IsNil() || want.Len() != got.Len() {
		return differ(path, want, got)
	}
	for key, item := range want.Seq2() {
		other := got.MapIndex(key)
		if !other.IsValid() {
			return fmt.Errorf("%s[%v] did not arrive", path, key)
		}
		if err := c.compare(fmt.Sprintf("%s[%v]", path, key), addressable(item), addressable(other)); err != nil {
			return err
		}
	}
	return nil
}

// exposed is a value whose unexported fields can be read as well.
func exposed(v reflect.Value) reflect.Value {
	if !v.CanAddr() {
		panic("not addressable: " + v.Type().String())
	}
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// addressable is a copy where that is needed.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

func differ(path string, want, got reflect.Value) error {
	return fmt.Errorf("%s: sent %s, got %s", path, show(want), show(got))
}

// show is a value for a reader.
func show(v reflect.Value) string {
	text := fmt.Sprintf("%#v", v.Interface())
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		text = fmt.Sprintf("&%#v", v.Elem().Interface())
	}
	return text[:min(len(text), 300)]
}

// streams reports a value that is bytes or items to be read, or nothing of that kind.
func streams(v reflect.Value) bool {
	switch v.Interface().(type) {
	case io.Reader, multipart.File, server.Body:
		return true
	}
	if v.Kind() == reflect.Interface {
		return v.Type().Implements(reflect.TypeFor[io.Reader]())
	}
	return v.Kind() == reflect.Func || v.MethodByName("All").IsValid()
}

// content is what a stream holds.
type content struct {
	typ   string // of the content; empty: not told
	name  string // of a file
	data  []byte
	items []reflect.Value
}

// streams compares the contents. What the sender does not say, the receiver may know.
func (c *comparer) streams(path string, want, got reflect.Value) error {
	a, err := read(want)
	if err != nil {
		return fmt.Errorf("%s: reading what is sent: %w", path, err)
	}
	b, err := read(got)
	if err != nil {
		return fmt.Errorf("%s: reading what arrived: %w", path, err)
	}
	if !bytes.Equal(a.data, b.data) {
		return fmt.Errorf("%s: sent %.100q, got %.100q", path, a.data, b.data)
	}
	if !sameType(a.typ, b.typ) || a.name != "" && a.name != b.name {
		return fmt.Errorf("%s: sent %q of %q, got %q of %q", path, a.name, a.typ, b.name, b.typ)
	}
	if len(a.items) != len(b.items) {
		return fmt.Errorf("%s: sent %d items, got %d", path, len(a.items), len(b.items))
	}
	for i := range a.items {
		if err := c.compare(path+"["+strconv.Itoa(i)+"]", a.items[i], b.items[i]); err != nil {
			return err
		}
	}
	return nil
}

// sameType reports whether a content type arrived: that of a text gets a charset, and one
// that the sender left open is the receiver's to know.
func sameType(sent, got string) bool {
	return sent == "" || sent == got || sent == strings.TrimSuffix(got, "; charset=utf-8")
}

// read reads a stream to its end and closes it.
func read(v reflect.Value) (c content, err error) {
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Interface || k == reflect.Func) && v.IsNil() {
		return c, nil
	}
	switch s := v.Interface().(type) {
	case multipart.File:
		c.typ, c.name = s.ContentType, s.Name
		if s.IsZero() {
			return c, nil
		}
		r, err := s.Source().Open()
		if err != nil {
			return c, err
		}
		c.data, err = io.ReadAll(r)
		return c, errors.Join(err, r.Close())
	case server.Body:
		c.typ = s.ContentType
		c.data, err = io.ReadAll(s.Reader)
		return c, err
	case io.Reader:
		if t := reflect.Indirect(v); t.Kind() == reflect.Struct && t.FieldByName("ContentType").IsValid() {
			c.typ = t.FieldByName("ContentType").String()
		}
		c.data, err = io.ReadAll(s)
	default:
		items := v
		if v.Kind() != reflect.Func {
			items = v.MethodByName("All").Call(nil)[0]
		}
		for item, failed := range items.Seq2() {
			if err, ok := failed.Interface().(error); ok && err != nil {
				return c, err
			}
			c.items = append(c.items, addressable(item))
		}
	}
	if closer, ok := v.Interface().(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	return c, err
}

// keep replaces a reader by what it reads, and returns another one for the same.
func keep(r *io.Reader) io.Reader {
	data, err := io.ReadAll(*r)
	if err != nil {
		panic(err) // a text of ours
	}
	*r = bytes.NewReader(data)
	return bytes.NewReader(data)
}
