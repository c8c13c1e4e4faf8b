package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Overlays change the document in the order of the command line, and their
// x-resilience stands over what there is.
func TestOverlay(t *testing.T) {
	const first = `overlay: 1.1.0
info: {title: Ours, version: 1.0.0}
actions:
  - target: $
    update:
      x-resilience: {version: 1, dependency: shop}
  - target: $.paths['/orders'].get
    update: {operationId: allOrders, x-resilience: {timeout: {attempt: 1234ms, total: 5678ms}}}
  - target: $.paths['/admin/purge']
    remove: true
`
	const second = `overlay: 1.0.0
info: {title: Mine, version: 1.0.0}
actions:
  - target: $.paths['/orders'].get
    update: {operationId: everyOrder}
  - target: $.paths['/ordres'].get
    update: {summary: none}
`
	dir := project(t, map[string]string{"openapi.yaml": shop, "ours.yaml": first, "mine.yaml": second})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out", "--overlay", "ours.yaml", "--overlay", "mine.yaml"}
	const miss = `mine.yaml:6:13: warning: $.paths['/ordres'].get matches nothing in the document`
	r := shipped(t, dir, args...)
	r.want(t, 0, "", miss)
	r.want(t, 0, "", `/paths has no "/ordres": did you mean "/orders"?`)
	files := tree(t, filepath.Join(dir, "out"))
	if !declares(files, ") EveryOrder(") || declares(files, "AllOrders") || declares(files, "Purge") {
		t.Error("the overlays are not applied in order")
	}
	if !strings.Contains(files["policy.go"], "1234") || !strings.Contains(files["policy.go"], "5678") {
		t.Errorf("the annotation of the overlay is not in force:\n%s", files["policy.go"])
	}
	shipped(t, dir, append(args, "--strict")...).want(t, 1, "", strings.Replace(miss, "warning: ", "", 1))
	shipped(t, dir, "generate", "--spec", "openapi.yaml", "--out", "out", "--overlay", "none.yaml").
		want(t, 1, "", "none.yaml: cannot read the overlay: no such file")
	shipped(t, dir, "generate", "--overlay", "ours.yaml").want(t, 2, "", "--overlay belongs to a target that --spec names")
}
