package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// A source that gives nothing more does not hold a call that is over, be it a body
// or a file in one.
func TestWaitingSourceDoesNotHoldTheCall(t *testing.T) {
	for name, encode := range map[string]func(*client.Request, io.Reader){
		"body": func(r *client.Request, in io.Reader) { r.Binary("image/png", in) },
		"part": func(r *client.Request, in io.Reader) {
			r.Multipart("multipart/form-data").File("f", "image/png", multipart.FileReader("f", in))
		},
	} {
		arrived := make(chan struct{})
		c := core(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadFull(r.Body, make([]byte, 1))
			close(arrived)
			_, _ = io.Copy(io.Discard, r.Body)
		})
		in, out := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = out.Write([]byte("x"))
			<-arrived
			cancel()
		}()
		f := encoder(func(r *client.Request) { r.Path("/"); encode(r, in) })
		ended := make(chan error, 1)
		go func() {
			_, err := client.Do(ctx, c, op("PUT", "/", noContent), &f, nil)
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) || faultOf(t, err).Kind != fault.Canceled {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the call goes on", name)
		}
		_ = out.Close()
	}
}

// What sources give arrives as it was, however they give it; what goes wrong with
// one is told.
func TestSourcesOfAllKinds(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	text := strings.Repeat("0123456789", 20_000)
	for name, in := range map[string]io.Reader{
		"whole":      io.MultiReader(strings.NewReader(text)),
		"one byte":   iotest.OneByteReader(strings.NewReader(text[:1000])),
		"data + EOF": iotest.DataErrReader(strings.NewReader(text)),
		"halves":     iotest.HalfReader(strings.NewReader(text)),
	} {
		_, err := call(t, c, op("PUT", "/", noContent), func(r *client.Request) { r.Path("/"); r.Binary("image/png", in) })
		want := text
		if name == "one byte" {
			want = text[:1000]
		}
		if got := s.last(t).body; err != nil || got != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	// The length is known and the end comes with the last byte: the transport looks
	// once more whether there is too much.
	_, err := call(t, c, op("PUT", "/", noContent), func(r *client.Request) {
		r.Path("/")
		r.File("image/png", multipart.File{Size: int64(len(text)), Reader: iotest.DataErrReader(strings.NewReader(text))})
	})
	if got := s.last(t); err != nil || got.body != text || got.length != int64(len(text)) {
		t.Errorf("known size: %d bytes, length %d, %v", len(got.body), got.length, err)
	}
	broken := errors.New("the disk is gone")
	in := io.MultiReader(bytes.NewReader([]byte(text)), iotest.ErrReader(broken))
	_, err = call(t, c, op("PUT", "/", noContent), func(r *client.Request) { r.Path("/"); r.Binary("image/png", in) })
	if !errors.Is(err, broken) || faultOf(t, err).Attempts != 1 {
		t.Errorf("broken source: %v", err)
	}
}
