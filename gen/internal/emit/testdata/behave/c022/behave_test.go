package c022_test

import (
	"testing"

	"example.test/out/c022"
)

func TestFourShapes(t *testing.T) {
	for _, text := range []string{
		`{"req":"a","reqNull":null}`, `{"req":"a","opt":"b","reqNull":"c","optNull":null}`, `{"req":"a","reqNull":null,"optNull":"d"}`,
	} {
		round[PATCH](t, text)
	}
	refuse[PATCH](t, `{"reqNull":null}`, lenient, "/req")
	refuse[PATCH](t, `{"req":null,"reqNull":null}`, lenient, "/req")
	refuse[PATCH](t, `{"req":"a","opt":null,"reqNull":null}`, lenient, "/opt")
	refuse[PATCH](t, `{"req":"a"}`, lenient, "/reqNull")
	v := PATCH{Req: "a"}
	write(t, &v, lenient, `{"req":"a","reqNull":null}`)
	v.OptNull.SetNull()
	write(t, &v, lenient, `{"req":"a","reqNull":null,"optNull":null}`)
}

type PATCH = c022.Patch
