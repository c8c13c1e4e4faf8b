package c094_test

import (
	"testing"

	"example.test/out/c094"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestTuples(t *testing.T) {
	round[c094.PtOKBody](t, `{"point":[1,"a"],"raw":"aGk=","map":{"x-a":"b","y":1}}`)
	refuse[c094.PtOKBody](t, `{"point":[1,"a",true]}`, lenient, "/point/2")
	refuse[c094.PtOKBody](t, `{"point":["a",1]}`, lenient, "/point/0", "/point/1")
	refuse[c094.PtOKBody](t, `{"map":{"x-a":1}}`, lenient, "/map/x-a")
	invalid(t, &c094.PtOKBody{Age: value.Some[int64](0)}, "/age")
	invalid(t, &c094.PtOKBody{Age: value.Some[int64](1)})
}
