package limits_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/limits"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// The client waits for the words as long as the document says, until it has seen how long
// they take.
func TestTimeoutIsLearnt(t *testing.T) {
	took := 200 * time.Millisecond
	answer := func(_ int, r *http.Request) *http.Response {
		slow(r.Context(), took)
		return reply(http.StatusNoContent, "")
	}
	inBubble(t, answer, func(t *testing.T, c *limits.Client, _ *wire) {
		ask := func() (time.Duration, error) {
			begin := time.Now()
			err := c.GetWords(t.Context())
			return time.Since(begin), err
		}
		for range 100 {
			if _, err := ask(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		took = time.Hour
		// The policy's headroom is 1.2; the histogram tells at most 6 % more.
		if d, err := ask(); kindOf(err) != fault.Timeout || d < 240*time.Millisecond || d > 255*time.Millisecond {
			t.Errorf("it ended after %v with %v, want a timeout after 240 ms", d, err)
		}
		for range 10 {
			time.Sleep(time.Second)
			_, _ = ask()
		}
		time.Sleep(time.Second)
		if d, err := ask(); kindOf(err) != fault.Timeout || d != 10*time.Second {
			t.Errorf("it ended after %v with %v, want a timeout at the ceiling", d, err)
		}
	})
}
