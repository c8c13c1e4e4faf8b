package semantic

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// rounding is what a cosine may be short of a bound: float32 tells no finer differences,
// and a text is as near as can be to itself.
const rounding = 1e-6

// vector is an embedding with its length, by which cosines are divided.
type vector struct {
	parts []float32
	norm  float64
}

var (
	errNoDirection = errors.New("the embedding has no direction: it is empty, all zero, or not finite")
	errDimensions  = fmt.Errorf("the embedding has more than %d dimensions", MaxDimensions)
)

// newVector takes what an embedder has given, which may go on using its slice.
func newVector(parts []float32) (vector, error) {
	if len(parts) > MaxDimensions {
		return vector{}, errDimensions
	}
	sum := 0.0
	for _, p := range parts {
		sum += float64(p) * float64(p)
	}
	norm := math.Sqrt(sum)
	if norm == 0 || math.IsInf(norm, 0) || math.IsNaN(norm) {
		return vector{}, errNoDirection
	}
	return vector{slices.Clone(parts), norm}, nil
}

// cosine is 1 for the same direction and 0 for directions that have nothing in common.
// Vectors of different lengths are of different models, and have nothing in common.
func cosine(a, b *vector) float64 {
	if len(a.parts) != len(b.parts) || len(a.parts) == 0 {
		return 0
	}
	sum := 0.0
	other := b.parts[:len(a.parts)]
	for i, p := range a.parts {
		sum += float64(p) * float64(other[i])
	}
	return sum / (a.norm * b.norm)
}
