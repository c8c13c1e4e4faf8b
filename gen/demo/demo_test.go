package demo

import (
	"bytes"
	"testing"
)

func TestReleasesThatAreTooOld(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26": false, "go1.26.0": false, "go1.27rc1": false, "go2.0": false,
		"go1.25.9": true, "go1.4": true,
		"devel go1.28-abcdef": false, "": false, // no release: the build will tell
	} {
		if got := tooOld(version); got != want {
			t.Errorf("%q: too old is %v", version, got)
		}
	}
}

// The hand-written files are there, and none has a header of its own: it is put above
// each when it is written.
func TestStaticFiles(t *testing.T) {
	files, err := staticFiles()
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{"go.mod": true, "client/main.go": true, "server/main.go": true, "play/call.go": true}
	for _, f := range files {
		delete(missing, f.Path)
		if bytes.Contains(f.Data, []byte("DO NOT EDIT")) {
			t.Errorf("%s has a header", f.Path)
		}
	}
	if len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
}
