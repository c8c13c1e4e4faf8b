package semantic_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/semantic"
)

// words embeds a text by the words that it has of a few. It stands in for a model.
func words(_ context.Context, text string) ([]float32, error) {
	v := []float32{0.1} // so that no text is without a direction
	for _, word := range []string{"capital", "france", "spain", "weather"} {
		n := float32(strings.Count(strings.ToLower(text), word))
		v = append(v, n)
	}
	return v, nil
}

// An answer is kept, and found by a question in other words.
func Example() {
	cache, err := semantic.New(semantic.EmbedFunc(words), semantic.MaxEntries(100))
	if err != nil {
		fmt.Println(err)
		return
	}
	ask := func(text string) *semantic.Question {
		q, _ := cache.Question(&semantic.Request{
			Operation: "complete", ContentType: "application/json",
			Body: fmt.Appendf(nil, `{"model": "small", "prompt": %q}`, text),
		})
		return &q
	}
	cache.Store(ask("What is the capital of France?"), semantic.Answer{Status: 200, Body: []byte("Paris")})

	ctx := context.Background()
	for _, text := range []string{"Tell me: which city is France's capital?", "And the capital of Spain?"} {
		if a, _, err := cache.Nearest(ctx, ask(text), 0.85); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(string(a.Body))
		}
	}
	// Output:
	// Paris
	// semantic: no similar question was answered
}
