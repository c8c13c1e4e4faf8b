package ratelimit_test

import (
	"testing"
	"testing/synctest"

	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/ratelimit/limittest"
)

func TestMemoryStore(t *testing.T) {
	for _, c := range limittest.Store() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.Run(t, ratelimit.NewMemory()) })
		})
	}
}
