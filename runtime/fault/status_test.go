package fault

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// The words are those that every other part of a Go program shows for a status.
func TestStatusTextUsesTheUsualWords(t *testing.T) {
	for code := range 1000 {
		want := strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
		if got := StatusText(code, ""); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}

func TestStatusTextAddsWhatTheDocumentSays(t *testing.T) {
	for code, want := range map[int]string{404: "404 Not Found: no such trip", 299: "299: no such trip", 0: "0: no such trip"} {
		if got := StatusText(code, "no such trip"); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}
