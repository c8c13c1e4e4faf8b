package c030_test

import (
	"testing"

	"example.test/out/c030"
)

func TestSiblings(t *testing.T) {
	round[c030.Truck](t, `{"wheels":6,"plate":"x"}`, `{"wheels":6,"plate":"x","cargo":"coal"}`)
	refuse[c030.Truck](t, `{"wheels":6}`, lenient, "/plate")
}
