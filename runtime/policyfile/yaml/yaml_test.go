package yaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/policyfile/yaml"
)

const document = `# what changes at run time
version: 1
all: &everything
  timeout: 2s
  retry: {maxAttempts: 3, statuses: [503, 5xx]}
  breaker: off
operations:
  getPet: *everything
  "createPet":
    retry:
      planRetryAfter: true
`

// YAML gives what the same text gives as JSON.
func TestDecodeAsJSON(t *testing.T) {
	const same = `{"version": 1, "all": {"timeout": "2s", "retry": {"maxAttempts": 3, "statuses": [503, "5xx"]}, "breaker": "off"},
		"operations": {"getPet": {"timeout": "2s", "retry": {"maxAttempts": 3, "statuses": [503, "5xx"]}, "breaker": "off"}, "createPet": {"retry": {"planRetryAfter": true}}}}`
	got, err := yaml.Decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	want, err := policyfile.JSON([]byte(same))
	if err != nil {
		t.Fatal(err)
	}
	noPlaces := []cmp.Option{
		cmpopts.IgnoreFields(policyfile.Node{}, "Line", "Column"), cmpopts.IgnoreFields(policyfile.Member{}, "Line", "Column"),
	}
	if diff := cmp.Diff(want, got, noPlaces...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := yaml.Decode([]byte(same))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again, noPlaces...); diff != "" {
		t.Errorf("JSON read as YAML (-want +got):\n%s", diff)
	}
	tries := got.Get("all").Get("retry").Get("maxAttempts")
	if tries.Line != 5 || tries.Column != 24 {
		t.Errorf("maxAttempts stands at %d:%d", tries.Line, tries.Column)
	}
	if key := got.Members[2]; key.Name != "operations" || key.Line != 7 || key.Column != 1 {
		t.Errorf("%+v", key)
	}
}

func TestParseWithPlaces(t *testing.T) {
	_, err := policyfile.Parse("p.yaml", []byte("version: 1\nall:\n  retry:\n    maxAttempt: 3\n"), yaml.Decode)
	const want = "p.yaml:4:5: /all/retry/maxAttempt: unknown: did you mean maxAttempts? want one of maxAttempts, baseDelay, maxDelay, jitter, statuses, never, errors, rules, maxRetryAfter, planRetryAfter, budget, shrink, mode"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	// YAML 1.1 reads a bare off as false; both are off.
	for _, off := range []string{"off", "false", "{mode: off}", "{mode: false}", "{enabled: false}"} {
		if _, err := policyfile.Parse("p.yaml", []byte("version: 1\nall: {retry: "+off+"}\n"), yaml.Decode); err != nil {
			t.Errorf("%s: %v", off, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	var bomb strings.Builder // each line has ten times as many values as the one before
	bomb.WriteString("a: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'k'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s*%c]\n", c, c, strings.Repeat("*"+string(c-1)+", ", 9), c-1)
	}
	for text, want := range map[string]string{
		"":                      "1:1: not valid YAML: the file is empty",
		"a: [1":                 "not valid YAML",
		"a: 1\n---\nb: 2\n":     "a second document",
		"a: 1\nb: 2\na: 3\n":    `3:1: a second "a"`,
		"a: !!binary aGk=\n":    "1:4: the tag !!binary is not one of JSON's types",
		"a: !mine 5\n":          "1:4: the tag !mine is not one of JSON's types",
		"a: 0x10\n":             "1:4: a number has to be written in the decimal form of JSON",
		"a: .inf\n":             "1:4: a number has to be written in the decimal form of JSON",
		"? [a]\n: 1\n":          "1:3: a name has to be a plain text",
		"a: &x [*x]\n":          "nested too deeply",
		bomb.String():           "too many values",
		strings.Repeat("[", 90): "",
		"a: *unknown\n":         "not valid YAML",
		"\tb: 1\n":              "not valid YAML",
	} {
		n, err := yaml.Decode([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q gives %v, %v; want %s", text, n, err, want)
		}
	}
}

// FuzzDecode: no text panics or grows without a bound, and places are in the text.
func FuzzDecode(f *testing.F) {
	f.Add(document)
	f.Add("a: &a [*a]")
	f.Add("{\"a\": [1, 2.5e3, null, true]}")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := yaml.Decode([]byte(text))
		if err != nil {
			return
		}
		count := 0
		var walk func(*policyfile.Node)
		walk = func(n *policyfile.Node) {
			if count++; n.Line < 1 || n.Column < 1 {
				t.Fatalf("a value at %d:%d of %q", n.Line, n.Column, text)
			}
			for _, item := range n.Items {
				walk(item)
			}
			for _, m := range n.Members {
				walk(m.Value)
			}
		}
		walk(n)
		if count > policyfile.MaxNodes {
			t.Fatalf("%d values", count)
		}
	})
}
