//go:build !race

package value_test

const raceDetector = false
