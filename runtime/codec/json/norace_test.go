//go:build !race

package json_test

const raceDetector = false
