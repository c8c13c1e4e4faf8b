package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/golden/chat"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// topics embeds a text by the words that it has of a few.
func topics(_ context.Context, text string) ([]float32, error) {
	v := []float32{0.1}
	for _, word := range []string{"capital", "france", "spain"} {
		v = append(v, float32(strings.Count(strings.ToLower(text), word)))
	}
	return v, nil
}

// model is the service, over TCP. It is down while its status is not 200.
type model struct {
	status, asked atomic.Int32
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.asked.Add(1)
	var q struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if status := int(m.status.Load()); status != http.StatusOK {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"text": "about " + q.Messages[len(q.Messages)-1].Content})
}

func clientOf(t *testing.T, m *model, opts ...client.Option) *chat.Client {
	t.Helper()
	m.status.Store(http.StatusOK)
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	c, err := chat.New(append([]client.Option{client.BaseURL(s.URL), client.SemanticCache(semantic.EmbedFunc(topics))}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().Close)
	return c
}

func ask(model, instruction, text string) chat.CompleteRequest {
	return chat.CompleteRequest{Body: chat.Question{Model: model, Messages: []chat.Message{
		{Role: "system", Content: instruction}, {Role: "user", Content: text},
	}}}
}

// The preset llm asks the model once more, then looks for a similar question.
func TestSimilarQuestion(t *testing.T) {
	var m model
	var events []string
	c := clientOf(t, &m, client.Observe(&observe.Hooks{Fallback: func(_ context.Context, e observe.Fallback) {
		events = append(events, e.Rung+" "+e.What)
	}}))
	ctx := t.Context()
	const france = "What is the capital of France?"
	if a, err := c.Complete(ctx, ask("large", "Be brief.", france)); err != nil || a.Text != "about "+france {
		t.Fatalf("%+v, %v", a, err)
	}
	if m.asked.Load() != 1 {
		t.Errorf("%d requests", m.asked.Load())
	}
	m.status.Store(http.StatusServiceUnavailable)
	var meta client.Meta
	a, err := c.Complete(ctx, ask("large", "Be brief.", "Name France's capital"), client.Into(&meta))
	if err != nil || a.Text != "about "+france || meta.Rung != "semanticCache" || meta.Status != http.StatusOK {
		t.Errorf("%+v, %v, %+v", a, err, meta)
	}
	if got, want := strings.Join(events, ", "), "operation:complete failed, semanticCache answered"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if m.asked.Load() != 3 {
		t.Errorf("%d requests, want one of the call and one of the rung besides the first", m.asked.Load())
	}
}

// Where no question is near enough, or another model or instruction is wanted, the fixed
// answer of the preset is found in the call's failure.
func TestOtherQuestion(t *testing.T) {
	for name, req := range map[string]chat.CompleteRequest{
		"another text":        ask("large", "Be brief.", "What is the capital of Spain?"),
		"another model":       ask("small", "Be brief.", "What is the capital of France?"),
		"another instruction": ask("large", "Be thorough.", "What is the capital of France?"),
	} {
		var m model
		c := clientOf(t, &m)
		if _, err := c.Complete(t.Context(), ask("large", "Be brief.", "What is the capital of France?")); err != nil {
			t.Fatal(err)
		}
		m.status.Store(http.StatusInternalServerError)
		var meta client.Meta
		a, err := c.Complete(t.Context(), req, client.Into(&meta))
		f, ok := errors.AsType[*fault.Error](err)
		fixed, is := errors.AsType[*chat.Unavailable](err)
		if !ok || f.Kind != fault.Status || f.Status != http.StatusInternalServerError || !is || fixed.Body.Title.Or("") != "Service Unavailable" || a != nil || meta.Rung != "static" {
			t.Errorf("%s: %+v, %v, %+v", name, a, err, meta)
		}
	}
}

// A client that cannot tell what texts mean is refused when it is made.
func TestEmbedderIsNeeded(t *testing.T) {
	if _, err := chat.New(); err == nil || !strings.Contains(err.Error(), "client.SemanticCache") {
		t.Errorf("%v", err)
	}
}

// A question that is near enough for an operation is not for another.
func TestSimilarity(t *testing.T) {
	var m model
	c := clientOf(t, &m)
	const france, spain = "What is the capital of France?", "What is the capital of Spain?" // the cosine is 0.502
	if _, err := c.Guess(t.Context(), chat.GuessRequest(ask("large", "Be brief.", france))); err != nil {
		t.Fatal(err)
	}
	m.status.Store(http.StatusServiceUnavailable)
	if a, err := c.Guess(t.Context(), chat.GuessRequest(ask("large", "Be brief.", spain))); err != nil || a.Text != "about "+france {
		t.Errorf("%+v, %v", a, err)
	}
}
