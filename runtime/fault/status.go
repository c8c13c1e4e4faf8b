package fault

import (
	"net/http"
	"strconv"
)

// StatusText is a status with its usual words and, behind a colon, what else there
// is to say: "404 Not Found: no such trip". It is the text of the errors of
// generated packages.
func StatusText(code int, words string) string {
	text := strconv.Itoa(code)
	if usual := http.StatusText(code); usual != "" {
		text += " " + usual
	}
	if words != "" {
		text += ": " + words
	}
	return text
}
