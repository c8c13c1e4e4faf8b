package c016_test

import (
	"testing"

	"example.test/out/c016"
)

func TestHostileNames(t *testing.T) {
	round[c016.Odd](t, "{\"-\":\"0\",\"a,omitempty\":\"1\",\"say \\\"hi\\\"\":\"2\",\"back\\\\slash\":\"3\",\"tick`tick\":\"4\","+
		"\"two words\":\"5\",\"$ref_like\":\"6\",\"@type\":\"7\",\"3d\":\"8\",\"\":\"9\"}")
}
