package c004_test

import (
	"testing"

	"example.test/out/c004"
)

func TestLetters(t *testing.T) {
	for got, want := range map[c004.Season]string{
		c004.Season夏: "夏", c004.Season冬: "冬", c004.SeasonÉté: "\u00e9t\u00e9", c004.SeasonEte: "e\u0301te\u0301", c004.SeasonU2744: "❄️",
	} {
		if string(got) != want {
			t.Errorf("constant %q, want %q", got, want)
		}
	}
}
