package param

import "github.com/holdfast-go/holdfast/runtime/value"

// AppendPath appends a value to a path whose literal text is already there.
// What would be empty is refused: it would name another resource, and routers
// drop or merge empty segments. A text of dots alone is escaped as well, since
// clients and proxies resolve "." and "..".
func AppendPath(dst []byte, name string, style Style, v Value) ([]byte, error) {
	w := newWriter(inPath, name, style)
	w.dst = dst
	w.value(v)
	return w.pathEnd(len(dst))
}

// AppendPathList is AppendPath for a list.
func AppendPathList[T any](dst []byte, name string, style Style, c Codec[T], items []T) ([]byte, error) {
	w := newWriter(inPath, name, style)
	w.dst = dst
	appendList(&w, c, items)
	return w.pathEnd(len(dst))
}

// AppendQuery appends a value to a query, with & before it when dst is not
// empty. Nothing is written for an absent value, an empty list or an empty
// object.
func AppendQuery(dst []byte, name string, style Style, v Value) ([]byte, error) {
	return appendPairs(dst, inQuery, name, style, v)
}

// AppendQueryList is AppendQuery for a list.
func AppendQueryList[T any](dst []byte, name string, style Style, c Codec[T], items []T) ([]byte, error) {
	return appendPairList(dst, inQuery, name, style, c, items)
}

// AppendForm is AppendQuery for a urlencoded body, in which + is a space.
func AppendForm(dst []byte, name string, style Style, v Value) ([]byte, error) {
	return appendPairs(dst, inForm, name, style, v)
}

// AppendFormList is AppendForm for a list.
func AppendFormList[T any](dst []byte, name string, style Style, c Codec[T], items []T) ([]byte, error) {
	return appendPairList(dst, inForm, name, style, c, items)
}

// AppendCookie appends name=value to the value of a Cookie header, with "; "
// before it when dst is not empty. An exploded list gives one cookie an item.
// Values are written as they are; what a cookie cannot carry is refused.
func AppendCookie(dst []byte, name string, style Style, v Value) ([]byte, error) {
	return appendPairs(dst, inCookie, name, style, v)
}

// AppendCookieList is AppendCookie for a list.
func AppendCookieList[T any](dst []byte, name string, style Style, c Codec[T], items []T) ([]byte, error) {
	return appendPairList(dst, inCookie, name, style, c, items)
}

// AppendHeader appends the value of a header field: items and members are
// joined by commas. Line breaks, and items that hold a comma, are refused.
func AppendHeader(dst []byte, style Style, v Value) ([]byte, error) {
	return appendPairs(dst, inHeader, "", style, v)
}

// AppendHeaderList is AppendHeader for a list.
func AppendHeaderList[T any](dst []byte, style Style, c Codec[T], items []T) ([]byte, error) {
	return appendPairList(dst, inHeader, "", style, c, items)
}

// AppendText appends a scalar as it is, for a part of a multipart body.
func AppendText(dst []byte, v Value) ([]byte, error) {
	return v.appendScalar(dst)
}

func appendPairs(dst []byte, place place, name string, style Style, v Value) ([]byte, error) {
	if v.Absent() {
		return dst, nil
	}
	w := newWriter(place, name, style)
	w.dst = dst
	w.value(v)
	return w.end(len(dst))
}

func appendPairList[T any](dst []byte, place place, name string, style Style, c Codec[T], items []T) ([]byte, error) {
	if len(items) == 0 {
		return dst, nil
	}
	w := newWriter(place, name, style)
	w.dst = dst
	appendList(&w, c, items)
	return w.end(len(dst))
}

// appendList writes the items one by one, so that no list of Values is made.
func appendList[T any](w *writer, c Codec[T], items []T) {
	for i := range items {
		w.item(i, c.Format(items[i]))
	}
}

// Opt is v's value in c's form, and no value when it is absent.
func Opt[T any](c Codec[T], v value.Opt[T]) Value {
	if x, ok := v.Get(); ok {
		return c.Format(x)
	}
	return Value{}
}

// OptNull is v's value in c's form; absent and null are no value, since
// parameters have no null.
func OptNull[T any](c Codec[T], v value.OptNull[T]) Value {
	if x, ok := v.Get(); ok {
		return c.Format(x)
	}
	return Value{}
}

// Null is v's value in c's form; null is no value.
func Null[T any](c Codec[T], v value.Null[T]) Value {
	if x, ok := v.Get(); ok {
		return c.Format(x)
	}
	return Value{}
}

// Ptr is *v in c's form, and no value when v is nil.
func Ptr[T any](c Codec[T], v *T) Value {
	if v == nil {
		return Value{}
	}
	return c.Format(*v)
}
