package redisstore

import (
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
)

func TestNotices(t *testing.T) {
	n := breaker.Notice{Breaker: "pets / \n key#ü", For: 1500 * time.Millisecond}
	if instance, got, ok := parseNotice(formatNotice("me", n)); !ok || instance != "me" || got != n {
		t.Errorf("%q, %+v, %v", instance, got, ok)
	}
	for _, text := range []string{
		"", "open1", "open1 me", "open1 me 5", "open1 me 5 ", "open1  5 pets", "open2 me 5 pets", "open1 me 0 pets", "open1 me -5 pets",
		"open1 me 5.5 pets", "open1 me 9223372036855 pets", "open1 me 99999999999999999999 pets", "open1 me 5 " + strings.Repeat("x", maxNotice),
	} {
		if _, got, ok := parseNotice(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// No text that somebody writes to the channel does more than name a breaker and a time.
func FuzzNotice(f *testing.F) {
	f.Add("open1 me 5 pets")
	f.Add("open1 me 9223372036854 pets/key#0011")
	f.Add("open1 \x00 1 \xff")
	f.Fuzz(func(t *testing.T, text string) {
		instance, n, ok := parseNotice(text)
		if !ok {
			return
		}
		if n.For <= 0 || n.Breaker == "" || instance == "" || len(text) > maxNotice {
			t.Errorf("%q is %q, %+v", text, instance, n)
		}
		if again, same, ok := parseNotice(formatNotice(instance, n)); !ok || again != instance || same != n {
			t.Errorf("%q is written as another: %q, %+v", text, again, same)
		}
	})
}
