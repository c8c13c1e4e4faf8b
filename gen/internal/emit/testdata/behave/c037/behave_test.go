package c037_test

import (
	"testing"

	"example.test/out/c037"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func TestSeveralKeys(t *testing.T) {
	round[c037.Config](t, `{"type":"apache","port":80}`, `{"type":"nginx","port":80}`, `{"type":"ssh","key":"k"}`)
	if v := read[c037.Config](t, `{"port":80,"type":"nginx"}`, strict); v.Web == nil || v.Web.Type != c037.WebTypeNginx {
		t.Errorf("nginx: %+v", v)
	}
	write(t, &c037.Config{SSH: &c037.SSH{}}, lenient, `{"type":"ssh"}`)
	if text, err := json.Marshal(&c037.Config{Web: &c037.Web{}}); err == nil {
		t.Errorf("a web without a key became %s", text)
	}
}
