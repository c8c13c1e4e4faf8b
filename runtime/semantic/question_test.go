package semantic_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/runtime/semantic"
)

const asJSON = "application/json"

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, contentType, body, want string }{
		{"a prompt", asJSON, `{"prompt": "a"}`, "a"},
		{"prompts", asJSON, `{"prompt": ["a", "b"]}`, "a\nb"},
		{"an input", asJSON, `{"input": "a"}`, "a"},
		{"messages", asJSON, `{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}`, "a\nb"},
		{"parts of content", asJSON, `{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]}]}`, "a"},
		{"an input of items", asJSON, `{"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}, {"type": "function_call", "name": "f"}]}`, "a"},
		{"tools and developers", asJSON, `{"messages": [{"role": "developer", "content": "d"}, {"role": "tool", "content": "t"}, {"role": "user", "content": "a"}]}`, "a"},
		{"a role that is no text", asJSON, `{"messages": [{"role": 1, "content": "a"}]}`, ""},
		{"instructions only", asJSON, `{"messages": [{"role": "system", "content": "s"}]}`, ""},
		{"tokens", asJSON, `{"input": [1, 2]}`, ""},
		{"none of the members", asJSON, `{"question": "a"}`, `{"question": "a"}`},
		{"a null", asJSON, `{"prompt": null, "q": 1}`, `{"prompt": null, "q": 1}`},
		{"members deeper down", asJSON, `{"x": {"prompt": "a"}}`, `{"x": {"prompt": "a"}}`},
		{"escapes", asJSON, `{"prompt": "\u0061\n"}`, "a\n"},
		{"no JSON", asJSON, `{"prompt": `, ""},
		{"two of one name", asJSON, `{"prompt": "a", "prompt": "b"}`, ""},
		{"no body", asJSON, ``, ""},
		{"plain text", "text/plain; charset=utf-8", `a`, "a"},
		{"a form", "application/x-www-form-urlencoded", `q=a`, "q=a"},
		{"bytes", "application/octet-stream", `a`, ""},
		{"no UTF-8", "text/plain", "\xff", ""},
	} {
		c := cacheOf(t, &compass{})
		q, ok := c.Question(&semantic.Request{ContentType: tc.contentType, Body: []byte(tc.body)})
		if ok != (tc.want != "") || q.Text() != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.name, q.Text(), ok, tc.want)
		}
	}
}

func TestPointers(t *testing.T) {
	for _, tc := range []struct {
		body, want string
		pointers   []string
	}{
		{`{"query": {"text": "a"}, "prompt": "b"}`, "a", []string{"/query/text"}},
		{`{"list": [{"q": "a"}, {"q": "b"}]}`, "b", []string{"/list/1/q"}},
		{`{"a/b": {"~": "x"}}`, "x", []string{"/a~1b/~0"}},
		{`{"prompt": "b"}`, `{"prompt": "b"}`, nil},
		{`{"list": ["a"]}`, `{"list": ["a"]}`, []string{"/list/01", "/list/1", "/list/-", "/list/0/x"}},
	} {
		c := cacheOf(t, &compass{}, semantic.Pointers(tc.pointers...))
		q, _ := c.Question(&semantic.Request{ContentType: asJSON, Body: []byte(tc.body)})
		if q.Text() != tc.want {
			t.Errorf("%v of %s: %q, want %q", tc.pointers, tc.body, q.Text(), tc.want)
		}
	}
}

// What differs besides the text makes another question, however near the texts are.
func TestRest(t *testing.T) {
	const base = `{"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "0"}]}`
	for _, tc := range []struct {
		name, body string
		want       string
	}{
		{"the same", base, "kept"},
		{"another text", `{"messages": [{"role": "system", "content": "s"}, {"content": "1", "role": "user"}], "model": "m"}`, "kept"},
		{"another instruction", `{"model": "m", "messages": [{"role": "system", "content": "t"}, {"role": "user", "content": "0"}]}`, ""},
		{"another role", `{"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "assistant", "content": "0"}]}`, ""},
		{"a tool", `{"model": "m", "tools": [{}], "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "0"}]}`, ""},
		{"a stream", `{"model": "m", "stream": true, "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "0"}]}`, ""},
		{"an image", `{"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": ["0", {"image": "x"}]}]}`, ""},
	} {
		c := cacheOf(t, &compass{})
		c.Store(question(t, c, &semantic.Request{ContentType: asJSON, Body: []byte(base)}), answer("kept"))
		if got := nearest(t, c, &semantic.Request{ContentType: asJSON, Body: []byte(tc.body)}); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func FuzzQuestion(f *testing.F) {
	for _, s := range []string{`{"prompt": "a"}`, `{"messages": [{"role": "user", "content": [{"text": "a"}]}]}`, `[[[`, "{\"input\": \"\x00\"}"} {
		f.Add(asJSON, s)
	}
	f.Add("text/plain; x", "a")
	f.Fuzz(func(t *testing.T, contentType, body string) {
		c := cacheOf(t, &compass{})
		r := &semantic.Request{ContentType: contentType, Body: []byte(body)}
		q, ok := c.Question(r)
		if ok == (q.Text() == "") {
			t.Errorf("%v with the text %q", ok, q.Text())
		}
		if !ok {
			return
		}
		c.Store(&q, answer("kept"))
		if got := nearest(t, c, r); got != "kept" {
			t.Errorf("the same request gives %q", got)
		}
	})
}
