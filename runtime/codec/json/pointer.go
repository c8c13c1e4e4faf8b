package json

import (
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// step is a container on the way to a value.
type step struct {
	array bool
	index int
	raw   string // the name of the member, still escaped
	name  string // raw as it is meant, once a pointer has asked for it
}

// pointers returns the JSON pointers of the values at the offsets, which are
// in order, counted from the value at from. An offset at which no value begins
// gets the pointer of a value next to it. The text needs to be right up to
// the last offset only.
func pointers(s string, from int, offsets []int) []string {
	w := walker{src: s, offsets: offsets, found: make([]string, 0, len(offsets))}
	w.walk(scanSpace(s, from))
	for len(w.found) < len(offsets) {
		w.found = append(w.found, w.pointer())
	}
	return w.found
}

type walker struct {
	src     string
	offsets []int
	found   []string
	path    []step
}

func (w *walker) pointer() string {
	var b []byte
	for i := range w.path {
		s := &w.path[i]
		switch {
		case s.array:
			b = append(b, '/')
			b = strconv.AppendInt(b, int64(s.index), 10)
		case s.index >= 0: // a member was reached
			if s.name == "" {
				s.name = unescape(s.raw)
			}
			b = check.AppendPointer(b, s.name)
		}
	}
	return string(b)
}

// at records the place i, where a value begins, for the offsets up to it.
func (w *walker) at(i int) (done bool) {
	for len(w.found) < len(w.offsets) && w.offsets[len(w.found)] <= i {
		w.found = append(w.found, w.pointer())
	}
	return len(w.found) == len(w.offsets)
}

// walk goes from value to value until all offsets are found or the text ends.
func (w *walker) walk(i int) {
	for ok := true; ok && !w.at(i) && i < len(w.src); {
		switch w.src[i] {
		case '{':
			w.path = append(w.path, step{index: -1})
			i, ok = w.member(scanSpace(w.src, i+1))
		case '[':
			w.path = append(w.path, step{array: true})
			if i = scanSpace(w.src, i+1); i < len(w.src) && w.src[i] == ']' {
				i, ok = w.next(i)
			}
		default:
			end, fault := scanValue(w.src, i, 0)
			if fault != "" || w.at(end-1) {
				return
			}
			i, ok = w.next(scanSpace(w.src, end))
		}
	}
}

// member steps to the value of the member whose name is at i.
func (w *walker) member(i int) (int, bool) {
	if i < len(w.src) && w.src[i] == '}' {
		return w.next(i)
	}
	raw, end, fault := scanKey(w.src, i)
	if fault != "" {
		return i, false
	}
	top := &w.path[len(w.path)-1]
	top.raw, top.name = raw, ""
	top.index++
	return end, true
}

// next steps from the end of a value, or a closing bracket, to the next value.
func (w *walker) next(i int) (int, bool) {
	for len(w.path) > 0 && i < len(w.src) {
		top := &w.path[len(w.path)-1]
		switch c := w.src[i]; {
		case c == ',' && top.array:
			top.index++
			return scanSpace(w.src, i+1), true
		case c == ',':
			return w.member(scanSpace(w.src, i+1))
		case c == ']' && top.array, c == '}' && !top.array:
			w.path = w.path[:len(w.path)-1]
			i = scanSpace(w.src, i+1)
		default:
			return i, false
		}
	}
	return i, false
}
