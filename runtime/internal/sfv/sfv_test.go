package sfv

import (
	"encoding/base32"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// suite is the public test suite of structured fields next to the project.
const suite = "../../../../shared/suites/structured-fields"

// TestSuite holds the reader against the public suite: its dictionaries, and its items as
// the value of a member.
func TestSuite(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(suite, "*.json"))
	if len(files) == 0 {
		t.Skip("the test suite of structured fields is not here")
	}
	checked := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tests []suiteTest
		if err := json.Unmarshal(data, &tests); err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			if test.check(t) {
				checked++
			}
		}
	}
	t.Logf("%d tests of the suite", checked)
}

type suiteTest struct {
	Name     string          `json:"name"`
	Raw      []string        `json:"raw"`
	Type     string          `json:"header_type"`
	Expected json.RawMessage `json:"expected"`
	MustFail bool            `json:"must_fail"`
	CanFail  bool            `json:"can_fail"`
}

func (s *suiteTest) check(t *testing.T) bool {
	t.Helper()
	raw := s.Raw
	switch {
	case s.Type == "item" && len(raw) == 1 && !strings.HasSuffix(strings.TrimRight(raw[0], " "), "\t"):
		// A tab may stand after a member, not after an item.
		// Spaces around an item are no part of it, and none may stand after the =.
		raw = []string{"a=" + strings.Trim(raw[0], " ")}
	case s.Type != "dictionary":
		return false
	}
	got, err := Dictionary(raw)
	if s.MustFail || err != nil {
		if (err != nil) != s.MustFail && !s.CanFail {
			t.Errorf("%s: %q: error %v, must fail %v", s.Name, raw, err, s.MustFail)
		}
		return true
	}
	if s.Type == "item" {
		if len(got) != 1 { // a comma in what should be one value
			t.Errorf("%s: %q: %v", s.Name, raw, got)
			return true
		}
		var item []json.RawMessage
		if err := json.Unmarshal(s.Expected, &item); err != nil {
			t.Fatal(err)
		}
		s.value(t, got[0].Value, item[0])
		return true
	}
	var want [][]json.RawMessage
	if err := json.Unmarshal(s.Expected, &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%s: %q: %v, want %s", s.Name, raw, got, s.Expected)
		return true
	}
	for i, m := range got {
		if key, _ := strconv.Unquote(string(want[i][0])); m.Key != key {
			t.Errorf("%s: member %d is %q, want %s", s.Name, i, m.Key, want[i][0])
		}
		var pair []json.RawMessage
		if err := json.Unmarshal(want[i][1], &pair); err != nil {
			t.Fatal(err)
		}
		s.value(t, m.Value, pair[0])
	}
	return true
}

// value compares a value with the suite's form of it.
func (s *suiteTest) value(t *testing.T, got Value, want json.RawMessage) {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(string(want)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	ok := false
	switch v := v.(type) {
	case bool:
		ok = got.Kind == Boolean && got.True() == v
	case string:
		ok = got.Kind == String && got.Text == v
	case json.Number:
		number, _ := v.Float64()
		if got.Kind == Decimal {
			read, _ := strconv.ParseFloat(got.Text, 64)
			ok = read == number
		} else {
			ok = got.Kind == Integer && got.Number == int64(number)
		}
	case []any:
		ok = got.Kind == InnerList
	case map[string]any:
		switch v["__type"] {
		case "token":
			ok = got.Kind == Token && got.Text == v["value"]
		case "displaystring":
			ok = got.Kind == Display && got.Text == v["value"]
		case "binary":
			raw, _ := base32.StdEncoding.DecodeString(v["value"].(string))
			ok = got.Kind == Bytes && got.Text == string(raw)
		case "date":
			ok = got.Kind == Date && strconv.FormatInt(got.Number, 10) == v["value"].(json.Number).String()
		}
	}
	if !ok {
		t.Errorf("%s: %q: %+v, want %s", s.Name, s.Raw, got, want)
	}
}

// TestDictionary are the cases that the rest of the project relies on.
func TestDictionary(t *testing.T) {
	got, err := Dictionary([]string{`max-age=60;x="y", no-store`, "max-age=7"})
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	// The last of two equal keys counts (RFC 9651 section 4.2.2).
	if got[0] != (Member{"max-age", Value{Kind: Integer, Number: 7}}) || !got[1].Value.True() {
		t.Error(got)
	}
	if got, err := Dictionary([]string{"  ", ""}); got != nil || !errors.Is(err, ErrSyntax) {
		t.Error(got, err) // two empty lines are a list of two that are nothing
	}
	if got, err := Dictionary([]string{"  "}); got != nil || err != nil {
		t.Error(got, err)
	}
	for _, bad := range []string{
		"A=1", "a=1,", "a=1 b", "a=1;B", "a=", "a =1", "a= 1", `a="x`, `a="\x"`, "a=(1 2", "a=(1,2)", "a=:?:", "a=:QQ==",
		"a=1.", "a=1.2345", "a=1234567890123456", "a=?2", "a=@1.5", `a=%"%C3"`, `a=%"%f`, `a=%"%80"`, "a=\x00",
	} {
		if got, err := Dictionary([]string{bad}); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}

func FuzzDictionary(f *testing.F) {
	for _, s := range []string{"", "a", `a=1;b=2, c="d\"", e=(f g);h`, "a=:QQ==:, b=?0, c=@5", `a=%"f%c3%bc"`, "a=-1.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Dictionary([]string{s})
		if err != nil && got != nil {
			t.Fatalf("%q: both %v and %v", s, got, err)
		}
		keys := map[string]bool{}
		for _, m := range got {
			if keys[m.Key] || !strings.Contains(s, m.Key) || m.Key == "" {
				t.Fatalf("%q: member %q", s, m.Key)
			}
			keys[m.Key] = true
		}
	})
}
