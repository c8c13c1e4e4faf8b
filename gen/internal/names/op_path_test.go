package names

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// The plainer of two paths that come to one name keeps it, so that an odd one added
// later renames nothing; the order of the document is of no account.
func TestPlainPathKeepsItsName(t *testing.T) {
	op := func(path string, words ...string) *ir.Operation {
		return &ir.Operation{Key: "GET " + path, Name: append([]string{"get"}, words...), Method: "GET", Path: path}
	}
	for _, pair := range [][2]*ir.Operation{
		{op("/books", "books"), op("/Books", "Books")},
		{op("/books", "books"), op("/books/", "books")},
		{op("/books/{book-id}", "books", "by", "book-id"), op("/books/by/book-id", "books", "by", "book-id")},
		{op("/all-books", "all-books"), op("/allBooks", "allBooks")},
	} {
		alone := New(&ir.API{Operations: pair[:1]}).Op(pair[0]).Method
		for _, ops := range [][]*ir.Operation{{pair[0], pair[1]}, {pair[1], pair[0]}} {
			table := New(&ir.API{Operations: ops})
			if got := table.Op(pair[0]).Method; got != alone {
				t.Errorf("%s was %s, is %s beside %s", pair[0].Path, alone, got, pair[1].Path)
			}
			if got := table.Op(pair[1]).Method; got == alone || !strings.HasPrefix(got, "Get") {
				t.Errorf("%s is %s too", pair[1].Path, got)
			}
		}
	}
}
