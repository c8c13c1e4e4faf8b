package check_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// found runs f and returns what it finds as "place rule" lines.
func found(f func(*check.Checker)) []string {
	var c check.Checker
	f(&c)
	var lines []string
	for _, v := range c.Violations() {
		lines = append(lines, v.In+" "+v.Name+v.Pointer+" "+v.Rule)
	}
	return lines
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// k, body: the nested shapes of a request whose items, map values and references
// are constrained.
type k struct{ K value.Opt[string] }

var kRules = check.StringRules{MinLength: 1}

func (v *k) Validate(c *check.Checker) {
	check.Opt(c, "k", &v.K, check.StringOf[string](&kRules))
}

type body struct {
	List []k
	M    map[string]int64
}

var maximum9 = check.IntRules{Maximum: check.Int(9)}

func (v *body) Validate(c *check.Checker) {
	check.Each(c, "list", v.List, (*k).Validate)
	check.Values(c, "m", v.M, check.IntOf[int64](&maximum9))
}

func TestNestedValuesAreCheckedAllAtOnce(t *testing.T) {
	err := check.Body(&body{List: []k{{value.Some("")}, {}}, M: map[string]int64{"x": 99, "y": 9, "a/b~": 10}})
	var e *check.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	want := []check.Violation{
		{In: "body", Pointer: "/list/0/k", Rule: "minLength", Detail: "must be at least 1 character, is 0"},
		{In: "body", Pointer: "/m/a~1b~0", Rule: "maximum", Detail: "must be at most 9"},
		{In: "body", Pointer: "/m/x", Rule: "maximum", Detail: "must be at most 9"},
	}
	if !reflect.DeepEqual(e.Violations, want) {
		t.Errorf("%+v", e.Violations)
	}
	if got := err.Error(); got != "/list/0/k: must be at least 1 character, is 0; /m/a~1b~0: must be at most 9; /m/x: must be at most 9" {
		t.Error(got)
	}
	if err := check.Body(&body{List: []k{{}}}); err != nil {
		t.Errorf("an absent member is checked: %v", err)
	}
}

func TestParametersAreNamed(t *testing.T) {
	minimum1 := check.IntRules{Minimum: check.Int(1)}
	var c check.Checker
	c.At(check.InQuery, "n")
	check.IntOf[int64](&minimum1)(new(int64), &c)
	c.At(check.InQuery, "ids")
	check.UniqueHere(&c, []int64{1, 1})
	want := "query n: must be at least 1; query ids: must not repeat an item: items 0 and 1 are equal"
	if err := c.Err(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	c.Reset(check.InHeader, "X")
	if !c.OK() || c.Err() != nil {
		t.Error("Reset keeps violations")
	}
	c.Merge(check.Violation{In: "body", Detail: "is wrong"})
	c.Add("type", "must be a string")
	if got := c.Err().Error(); got != "the value: is wrong; header X: must be a string" {
		t.Error(got)
	}
}

func TestLengthsCountCodePoints(t *testing.T) {
	name := check.StringRules{MinLength: 1, MaxLength: check.Len(2)}
	for s, ok := range map[string]bool{"éé": true, "😀😀": true, "": false, "abc": false, "😀😀😀": false, "a": true} {
		if got := found(func(c *check.Checker) { c.String("name", s, &name) }); (got == nil) != ok {
			t.Errorf("%q: %v", s, got)
		}
	}
	none := check.StringRules{MaxLength: check.Len(0)}
	expect(t, found(func(c *check.Checker) { c.String("s", "", &none); c.String("s", "a", &none) }), "body /s maxLength")
	expect(t, found(func(c *check.Checker) { c.String("s", "", &check.StringRules{}) }))
}

func TestBoundsAreExact(t *testing.T) {
	big := check.IntRules{Maximum: check.Int(9007199254740993)}
	expect(t, found(func(c *check.Checker) {
		c.Int("n", 9007199254740993, &big)
		c.Int("n", 9007199254740994, &big)
	}), "body /n maximum")

	inner := check.IntRules{ExclusiveMinimum: check.Int(0), ExclusiveMaximum: check.Int(10), MultipleOf: 3}
	for v, want := range map[int64][]string{
		0: {"body /n exclusiveMinimum"}, 3: nil, 9: nil, 10: {"body /n exclusiveMaximum", "body /n multipleOf"},
		-3: {"body /n exclusiveMinimum"}, math.MinInt64: {"body /n exclusiveMinimum", "body /n multipleOf"},
	} {
		expect(t, found(func(c *check.Checker) { c.Int("n", v, &inner) }), want...)
	}

	u := check.UintRules{Minimum: check.Uint(math.MaxUint64), MultipleOf: 5}
	expect(t, found(func(c *check.Checker) {
		c.Uint("u", math.MaxUint64, &u)
		c.Uint("u", math.MaxUint64-1, &u)
	}), "body /u minimum", "body /u multipleOf")

	f := check.FloatRules{Minimum: check.Float(0.1), ExclusiveMaximum: check.Float(100), MultipleOf: "0.01"}
	for v, want := range map[float64][]string{
		0.1: nil, 19.99: nil, 0.09: {"body /f minimum"}, 19.999: {"body /f multipleOf"}, 100: {"body /f exclusiveMaximum"},
		99.99: nil, math.Inf(1): {"body /f exclusiveMaximum", "body /f multipleOf"},
	} {
		expect(t, found(func(c *check.Checker) { c.Float("f", v, &f) }), want...)
	}
	expect(t, found(func(c *check.Checker) { c.Float("f", math.NaN(), &f) }),
		"body /f minimum", "body /f exclusiveMaximum", "body /f multipleOf")
	f32 := float32(19.99)
	expect(t, found(func(c *check.Checker) { check.FloatOf[float32](&f)(&f32, c) }))
	f64 := float64(f32)
	expect(t, found(func(c *check.Checker) { check.FloatOf[float64](&f)(&f64, c) }), "body  multipleOf")

	n := check.NumberRules{Minimum: "0", Maximum: "1e30", MultipleOf: "0.5"}
	for v, want := range map[value.Number][]string{
		"0": nil, "1e30": nil, "1000000000000000000000000000000.5": {"body /n maximum"}, "-0.5": {"body /n minimum"},
		"0.25": {"body /n multipleOf"},
	} {
		expect(t, found(func(c *check.Checker) { c.Number("n", v, &n) }), want...)
	}
	above := check.NumberRules{ExclusiveMinimum: "1.0", ExclusiveMaximum: "2"}
	expect(t, found(func(c *check.Checker) { c.Number("n", "1", &above); c.Number("n", "2.0", &above) }),
		"body /n exclusiveMinimum", "body /n exclusiveMaximum")
}

func TestSizes(t *testing.T) {
	r := check.SizeRules{Min: 1, Max: check.Len(3)}
	expect(t, found(func(c *check.Checker) {
		for _, n := range []int{0, 1, 3, 4} {
			c.Items("list", n, &r)
			c.Properties("map", n, &r)
		}
	}), "body /list minItems", "body /map minProperties", "body /list maxItems", "body /map maxProperties")
	var c check.Checker
	c.Items("list", 0, &r)
	if got := c.Err().Error(); got != "/list: must have at least 1 item, has 0" {
		t.Error(got)
	}
}

func TestUnique(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, strconv.Itoa(i))
	}
	expect(t, found(func(c *check.Checker) {
		check.Unique(c, "a", many)
		check.Unique(c, "b", []float64{1, 2, 1.0})
		check.Unique(c, "c", append(many, "42"))
		check.Unique(c, "d", []string(nil))
		check.UniqueBy(c, "e", 3, func(i int) int { return i % 2 })
	}), "body /b uniqueItems", "body /c uniqueItems", "body /e uniqueItems")
	var c check.Checker
	check.Unique(&c, "c", append(many, "42"))
	if got := c.Err().Error(); got != "/c: must not repeat an item: items 42 and 100 are equal" {
		t.Error(got)
	}
}

func TestComposition(t *testing.T) {
	two := check.StringRules{MinLength: 2}
	one := check.SizeRules{Min: 1}
	nested := check.SliceOf(check.MapOf(check.NullOf(check.StringOf[string](&two))))
	v := []map[string]value.Null[string]{{"n": {}, "a": value.NotNull("ab")}, {"b": value.NotNull("b")}}
	expect(t, found(func(c *check.Checker) { check.Member(c, "v", &v, nested) }), "body /v/1/b minLength")

	sized := check.All(check.ItemsOf[[]string](&one), check.UniqueOf[[]string], check.SliceOf(check.StringOf[string](&two)))
	expect(t, found(func(c *check.Checker) {
		check.Slice(c, "absent", new([]string), sized)
		check.Slice(c, "empty", &[]string{}, sized)
		check.Slice(c, "twice", &[]string{"aa", "aa"}, sized)
		check.Slice(c, "short", &[]string{"a"}, sized)
	}), "body /empty minItems", "body /twice uniqueItems", "body /short/0 minLength")

	props := check.PropertiesOf[map[string]k](&one)
	expect(t, found(func(c *check.Checker) {
		check.Map(c, "absent", new(map[string]k), props)
		check.Map(c, "empty", &map[string]k{}, props)
		check.Map(c, "some", &map[string]k{"x": {value.Some("")}}, check.MapOf(check.Of[k]()))
		p := &k{value.Some("")}
		check.Member(c, "p", &p, check.PtrOf(check.Of[k]()))
	}), "body /empty minProperties", "body /some/x/k minLength", "body /p/k minLength")
	c := new(check.Checker)
	c.Enum("e", true, `"a"`)
	c.Enum("e", false, `"a", "b"`)
	if got := c.Err().Error(); got != `/e: must be one of "a", "b"` {
		t.Error(got)
	}
}

// loop contains itself.
type loop struct{ Next *loop }

func (v *loop) Validate(c *check.Checker) { check.Ptr(c, "next", v.Next, (*loop).Validate) }

func TestEndlessValueEnds(t *testing.T) {
	v := new(loop)
	v.Next = v
	var e *check.Error
	if err := check.Body(v); !errors.As(err, &e) || len(e.Violations) != 1 || e.Violations[0].Rule != "depth" {
		t.Errorf("%v", err)
	}
}

func TestViolationsAreBounded(t *testing.T) {
	list := make([]string, 1000)
	m := map[string]string{}
	for i := range 1000 {
		m[strconv.Itoa(i)] = ""
	}
	var c check.Checker
	check.Values(&c, "m", m, check.StringOf[string](&kRules))
	check.Each(&c, "list", list, check.StringOf[string](&kRules))
	c.Merge(make([]check.Violation, 10)...)
	if got := len(c.Violations()); got != check.MaxViolations || !c.Full() {
		t.Errorf("%d violations", got)
	}
	if first := c.Violations()[0].Pointer; first != "/m/0" {
		t.Errorf("the first is %s", first)
	}
	if text := c.Err().Error(); !strings.HasSuffix(text, "; and 95 more") {
		t.Error(text)
	}
}

// TestNoAllocations: a walk over a valid value allocates nothing.
func TestNoAllocations(t *testing.T) {
	pattern := check.StringRules{MinLength: 1, MaxLength: check.Len(20), Pattern: check.Regexp("^[a-z]+$"), Format: check.FormatHostname}
	money := check.FloatRules{Minimum: check.Float(0), MultipleOf: "0.01"}
	size := check.SizeRules{Min: 1, Max: check.Len(5)}
	name, note, tags := "abc", value.Some("note"), []string{"a", "b", "c"}
	b := body{List: []k{{value.Some("a")}, {value.Some("b")}}}
	var c check.Checker
	if n := testing.AllocsPerRun(100, func() {
		c.Reset(check.InBody, "")
		c.String("name", name, &pattern)
		check.Opt(&c, "note", &note, check.StringOf[string](&pattern))
		c.Int("n", 3, &maximum9)
		c.Float("price", 19.99, &money)
		c.Items("tags", len(tags), &size)
		check.Unique(&c, "tags", tags)
		check.Each(&c, "tags", tags, check.StringOf[string](&pattern))
		b.Validate(&c)
	}); n != 0 && !raceDetector || !c.OK() {
		t.Errorf("%v allocations, %v", n, c.Err())
	}
}

// oneWay is a message with a member that travels one way only in each direction.
type oneWay struct{ id, secret string }

func (v *oneWay) Validate(c *check.Checker) {
	short := check.StringOf[string](&check.StringRules{MinLength: 1})
	if c.ReadOnly() {
		check.Member(c, "id", &v.id, short)
	}
	if c.WriteOnly() {
		check.Member(c, "secret", &v.secret, short)
	}
}

func TestConstraintsHoldWhereAMemberTravels(t *testing.T) {
	for way, want := range map[check.Way][]string{check.AnyWay: {"/id", "/secret"}, check.InRequest: {"/secret"}, check.InResponse: {"/id"}} {
		var got []string
		err := check.BodyOf(&oneWay{}, way)
		if e, ok := errors.AsType[*check.Error](err); ok {
			for _, v := range e.Violations {
				got = append(got, v.Pointer)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("way %d: violations at %q, want %q", way, got, want)
		}
		// The next one takes the checker over: it has no way of its own.
		if err := check.Body(&oneWay{id: "i"}); err == nil {
			t.Errorf("after way %d: a missing secret was accepted", way)
		}
	}
}
