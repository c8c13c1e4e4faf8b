package load

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// The overlays of the design apply to the published documents that they are for,
// with every target found, and annotate what they name. The documents stand beside
// the repository and not in it.
func TestOverlaysOfTheDesign(t *testing.T) {
	const shared = "../../../../shared"
	for _, c := range []struct {
		overlay, document string
		at                []string // holders that must have an annotation of the overlay
	}{
		{"train", "corpus/specs/train_travel.yaml", []string{"", "/paths/~1stations/get", "/webhooks/newBooking/post", "/webhooks/paymentSettled/post"}},
		{"github", "corpus/specs/github.json", []string{"", "/paths/~1rate_limit/get", "/paths/~1repos~1{owner}~1{repo}~1pulls~1{pull_number}~1merge/put"}},
		{"openai", "corpus/specs/openai.yaml", []string{"", "/paths/~1chat~1completions/post"}},
		{"internal", "design/examples/internal.yaml", []string{""}},
	} {
		t.Run(c.overlay, func(t *testing.T) {
			overlay := filepath.Join(shared, "design/examples", c.overlay+".overlay.yaml")
			if _, err := os.Stat(shared); err != nil {
				return
			}
			list := &diag.List{Strict: true}
			d := Load(context.Background(), Options{Path: filepath.Join(shared, c.document), Overlays: []string{overlay}}, list)
			if d == nil {
				t.Fatal(show(list))
			}
			for _, f := range list.Sorted() {
				if f.Pos.File == overlay {
					t.Errorf("%v %s", f.Pos, f.Message)
				}
			}
			for _, at := range c.at {
				if a := d.Root.Root.At(at).Get(Annotation); a == nil || a.File.Name != overlay && len(d.Layers(d.Root.Root.At(at))) == 0 {
					t.Errorf("%q has no annotation of the overlay", at)
				}
			}
		})
	}
}

// The overlays of documents that are not at hand are sound by themselves.
func TestOverlaysOfTheDesignAlone(t *testing.T) {
	for _, name := range []string{"stripe", "k8s"} {
		file := filepath.Join("../../../../shared/design/examples", name+".overlay.yaml")
		data, err := os.ReadFile(file)
		if err != nil {
			return
		}
		list := &diag.List{Strict: true}
		o := ParseOverlay(file, data, list)
		if o == nil || list.Len() > 0 || len(o.Annotations()) == 0 {
			t.Errorf("%s: %s", name, show(list))
		}
	}
}
