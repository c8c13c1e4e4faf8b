package main

import (
	"os"

	"golang.org/x/term"
)

// screen says what standard error can show. The zero value is a pipe or a file.
type screen struct {
	terminal bool
	color    bool
	width    int // in columns; 0 if unknown
}

// screenOf looks at a file. NO_COLOR and TERM=dumb are the usual ways to ask
// for plain text.
func screenOf(f *os.File, getenv func(string) string) screen {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return screen{}
	}
	s := screen{terminal: true}
	if w, _, err := term.GetSize(fd); err == nil {
		s.width = w
	}
	if getenv("TERM") == "dumb" {
		s.terminal = false // no carriage returns for a progress line
		return s
	}
	s.color = getenv("NO_COLOR") == ""
	return s
}
