package idempotency

import "github.com/holdfast-go/holdfast/runtime/internal/jsontree"

// CanonicalForTest and PythonForTest are the two texts under the digests.
func CanonicalForTest(text string) string { return appended(text, appendCanonical) }

func PythonForTest(text string) string { return appended(text, appendPython) }

func appended(text string, form func([]byte, jsontree.Value) []byte) string {
	v, err := jsontree.Parse(text)
	if err != nil {
		return err.Error()
	}
	return string(form(nil, v))
}
