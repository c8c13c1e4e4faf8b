package sample

import (
	"math/big"
	"regexp"
	"strconv"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func use(t *ir.Type, c ...*ir.Checks) *ir.Use {
	u := &ir.Use{Type: t}
	if len(c) > 0 {
		u.Checks = c[0]
	}
	return u
}

func scalar(s ir.Scalar) *ir.Type { return &ir.Type{Kind: ir.KindScalar, Scalar: s} }

func size(n int64) *int64 { return new(n) }

func object(fields ...*ir.Field) *ir.Type {
	return &ir.Type{Kind: ir.KindStruct, Declared: true, Fields: fields}
}

func field(name string, required bool, t *ir.Type) *ir.Field {
	return &ir.Field{Name: name, Required: required, Use: use(t)}
}

func oneOf(dispatch ir.Dispatch, types ...*ir.Type) *ir.Type {
	u := &ir.Union{Dispatch: dispatch}
	for _, t := range types {
		u.Variants = append(u.Variants, &ir.Variant{Use: use(t)})
	}
	return &ir.Type{Kind: ir.KindUnion, Declared: true, Union: u}
}

func TestNumbersKeepTheirBounds(t *testing.T) {
	for name, c := range map[string]struct {
		scalar ir.Scalar
		checks ir.Checks
		want   string // empty: no value
	}{
		"free":              {ir.Int64, ir.Checks{}, "1"},
		"above":             {ir.Int64, ir.Checks{Minimum: "10"}, "10"},
		"strictly above":    {ir.Int64, ir.Checks{Minimum: "10", ExclusiveMinimum: true}, "11"},
		"below":             {ir.Int64, ir.Checks{Maximum: "-3"}, "-3"},
		"fraction":          {ir.Int64, ir.Checks{Minimum: "1.5"}, "2"},
		"step":              {ir.Int64, ir.Checks{Minimum: "10", MultipleOf: "7"}, "14"},
		"step below":        {ir.Int64, ir.Checks{Maximum: "6", MultipleOf: "7"}, "0"},
		"no multiple":       {ir.Int64, ir.Checks{Minimum: "1", Maximum: "6", MultipleOf: "7"}, ""},
		"beyond the type":   {ir.Int8, ir.Checks{Minimum: "128"}, ""},
		"the last one":      {ir.Uint64, ir.Checks{Minimum: "18446744073709551615"}, "18446744073709551615"},
		"big":               {ir.BigInt, ir.Checks{Minimum: "1e30"}, "1000000000000000000000000000000"},
		"between":           {ir.Float64, ir.Checks{Minimum: "0", ExclusiveMinimum: true, Maximum: "1", ExclusiveMaximum: true}, "0.5"},
		"cents":             {ir.Float64, ir.Checks{Minimum: "0.1", Maximum: "0.9", MultipleOf: "0.25"}, "0.75"},
		"decimal":           {ir.Decimal, ir.Checks{Minimum: "0.05", Maximum: "0.05"}, "0.05"},
		"contradiction":     {ir.Float64, ir.Checks{Minimum: "2", Maximum: "1"}, ""},
		"out of reach":      {ir.Decimal, ir.Checks{Minimum: "1e999999999"}, ""},
		"fraction as step":  {ir.Int64, ir.Checks{Minimum: "1", MultipleOf: "1.5"}, "3"},
		"empty open bounds": {ir.Int64, ir.Checks{Minimum: "1", ExclusiveMinimum: true, Maximum: "2", ExclusiveMaximum: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := Value(use(scalar(c.scalar), &c.checks), Request)
			switch {
			case v == nil && c.want == "":
			case v == nil || v.Kind != ir.NumberValue || v.Text != c.want:
				t.Errorf("%+v, want %q", v, c.want)
			}
		})
	}
}

// Numbers against fractions computed here.
func TestNumbersOfRandomBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(-5000, 5000).Draw(t, "low")
		width := rapid.IntRange(0, 300).Draw(t, "width")
		step := rapid.IntRange(1, 40).Draw(t, "step")
		s := rapid.SampledFrom([]ir.Scalar{ir.Int32, ir.Int64, ir.Float64, ir.Decimal, ir.BigInt}).Draw(t, "scalar")
		c := &ir.Checks{Minimum: strconv.Itoa(low), Maximum: strconv.Itoa(low + width), MultipleOf: strconv.Itoa(step)}
		exists := false
		for n := low; n <= low+width; n++ {
			exists = exists || n%step == 0
		}
		v := Value(use(scalar(s), c), Request)
		if (v != nil) != exists {
			t.Fatalf("got %+v, a multiple exists: %v", v, exists)
		}
		if v == nil {
			return
		}
		r, ok := new(big.Rat).SetString(v.Text)
		if !ok || !r.IsInt() || r.Cmp(big.NewRat(int64(low), 1)) < 0 || r.Cmp(big.NewRat(int64(low+width), 1)) > 0 ||
			new(big.Int).Rem(r.Num(), big.NewInt(int64(step))).Sign() != 0 {
			t.Fatalf("%s is not a multiple of %d from %d to %d", v.Text, step, low, low+width)
		}
	})
}

func TestTextsMatchTheirPatterns(t *testing.T) {
	for _, pattern := range []string{
		`^[A-Z]{3}$`, `^\d{4}-\d{2}$`, `^(foo|bar)+baz?$`, `\.pdf$`, `^urn:`, `^[^\s@]+@[^\s@]+$`, `^#?[0-9a-f]{6}$`,
		`^[\w.-]{2,}$`, `^\/[a-z]+(\/[a-z]+)*$`, `^.{5,9}$`, `[0-9]`, `^(?!x)`, `^\p{Lu}\p{Ll}+$`, `^$|^x$`,
	} {
		v := Value(use(scalar(ir.String), &ir.Checks{Pattern: []string{pattern}}), Request)
		if v == nil {
			t.Errorf("%s: no text", pattern)
			continue
		}
		// Go's own engine is the oracle; what it cannot run nobody checks.
		if re, err := regexp.Compile(pattern); err == nil && !re.MatchString(v.Text) {
			t.Errorf("%s: %q", pattern, v.Text)
		}
	}
	if v := Value(use(scalar(ir.String), &ir.Checks{Pattern: []string{`^\u0041{2}$`}}), Request); v == nil || v.Text != "AA" {
		t.Errorf("an escape of ECMA-262: %+v", v)
	}
}

func TestTextsKeepAllConstraintsTogether(t *testing.T) {
	for name, c := range map[string]ir.Checks{
		"longer":               {MinLength: size(40)},
		"shorter":              {MaxLength: size(3)},
		"exact":                {MinLength: size(7), MaxLength: size(7)},
		"pattern, exact":       {Pattern: []string{`^[a-f0-9]+$`}, MinLength: size(64), MaxLength: size(64)},
		"two patterns":         {Pattern: []string{`^[a-z]+$`, `^.{4}$`}},
		"parts":                {Pattern: []string{`^[a-z]+-[a-z]+$`}, MinLength: size(12), MaxLength: size(12)},
		"not anchored, longer": {Pattern: []string{`[0-9]{2}`}, MinLength: size(20)},
	} {
		v := Value(use(scalar(ir.String), &c), Request)
		if v == nil {
			t.Errorf("%s: no text", name)
			continue
		}
		n := int64(utf8.RuneCountInString(v.Text))
		if c.MinLength != nil && n < *c.MinLength || c.MaxLength != nil && n > *c.MaxLength {
			t.Errorf("%s: %q has %d code points", name, v.Text, n)
		}
		for _, p := range c.Pattern {
			if !regexp.MustCompile(p).MatchString(v.Text) {
				t.Errorf("%s: %q does not match %s", name, v.Text, p)
			}
		}
	}
	for name, c := range map[string]ir.Checks{
		"no length":     {MinLength: size(5), MaxLength: size(4)},
		"huge":          {MinLength: size(1 << 40)},
		"contradiction": {Pattern: []string{`^a$`, `^b$`}},
	} {
		if v := Value(use(scalar(ir.String), &c), Request); v != nil {
			t.Errorf("%s: %.40q", name, v.Text)
		}
	}
}

func TestDirections(t *testing.T) {
	read, write := field("id", true, scalar(ir.Int64)), field("secret", true, scalar(ir.String))
	read.ReadOnly, write.WriteOnly = true, true
	u := use(object(read, write))
	for dir, want := range map[Direction]string{Request: "secret", Response: "id"} {
		v := Value(u, dir)
		if v == nil || len(v.Members) != 1 || v.Members[0].Name != want {
			t.Errorf("direction %d: %+v, want %s alone", dir, v, want)
		}
	}
	if v := Value(u, Both); v == nil || len(v.Members) != 2 {
		t.Errorf("both directions: %+v, want both members", v)
	}
}

func TestRecursionEnds(t *testing.T) {
	list := object(field("value", true, scalar(ir.Int64)))
	list.Fields = append(list.Fields, field("next", false, list))
	if v := Value(use(list), Request); v == nil || len(v.Members) != 1 {
		t.Errorf("a list ends after one element: %+v", v)
	}
	tree := object()
	tree.Fields = append(tree.Fields, &ir.Field{Name: "children", Required: true, Use: use(&ir.Type{Kind: ir.KindArray, Elem: use(tree)})})
	v := Value(use(tree), Request)
	if v == nil || len(v.Members) != 1 || len(v.Members[0].Value.Items) != 0 {
		t.Errorf("a tree ends with no children: %+v", v)
	}
	endless := object()
	endless.Fields = append(endless.Fields, field("self", true, endless))
	if v := Value(use(endless), Request); v != nil {
		t.Errorf("nothing fits into itself: %+v", v)
	}
	orNull := object()
	orNull.Fields = append(orNull.Fields, &ir.Field{Name: "self", Required: true, Use: &ir.Use{Type: orNull, Nullable: true}})
	if v := Value(use(orNull), Request); v == nil || v.Members[0].Value.Kind != ir.NullValue {
		t.Errorf("null ends it: %+v", v)
	}
	expr := oneOf(ir.ByKind)
	expr.Union.Variants = []*ir.Variant{
		{Use: use(&ir.Type{Kind: ir.KindArray, Elem: use(expr), Checks: &ir.Checks{MinItems: size(2)}})},
		{Use: use(scalar(ir.Int64))},
	}
	if v := Value(use(expr), Request); v == nil {
		t.Error("a list of a union with itself has the other variant as items")
	}
}

func TestUnions(t *testing.T) {
	cat, dog := object(field("meows", true, scalar(ir.Bool))), object(field("barks", true, scalar(ir.Bool)))
	pet := oneOf(ir.ByDiscriminator, cat, dog)
	pet.Union.Property = "kind"
	pet.Union.Variants[0].Keys, pet.Union.Variants[0].Write = []string{"cat"}, "cat"
	pet.Union.Variants[1].Keys, pet.Union.Variants[1].Write = []string{"dog"}, "dog"
	v := Value(use(pet), Request)
	if v == nil || len(v.Members) != 2 || v.Members[0].Name != "kind" || v.Members[0].Value.Text != "cat" {
		t.Errorf("the first variant with its key: %+v", v)
	}
	// Both take an integer, so a oneOf needs a number that is none.
	number := oneOf(ir.ByTrial, scalar(ir.Int64), scalar(ir.Float64))
	if v := Value(use(number), Request); v != nil {
		t.Errorf("a value that both variants take: %+v", v)
	}
	open, closed := object(field("a", false, scalar(ir.Int64))), object(field("b", true, scalar(ir.Int64)))
	told := oneOf(ir.ByTrial, open, closed)
	if v := Value(use(told), Request); v == nil || len(v.Members) != 1 || v.Members[0].Name != "a" {
		t.Errorf("the first variant, without what makes it the second: %+v", v)
	}
}

func TestContainers(t *testing.T) {
	unique := &ir.Type{Kind: ir.KindArray, Elem: use(scalar(ir.Bool)), Checks: &ir.Checks{MinItems: size(2), UniqueItems: true}}
	if v := Value(use(unique), Request); v == nil || len(v.Items) != 2 || v.Items[0].Text == v.Items[1].Text {
		t.Errorf("both booleans: %+v", v)
	}
	unique.Checks.MinItems = size(3)
	if v := Value(use(unique), Request); v != nil {
		t.Errorf("there is no third boolean: %+v", v)
	}
	keys := &ir.Type{
		Kind: ir.KindMap, Elem: use(scalar(ir.Int64)), Closed: true, Checks: &ir.Checks{MinProperties: size(2)},
		Patterns: []ir.PatternProps{{Pattern: "^x-[a-z]$", Use: use(scalar(ir.Int64))}},
	}
	v := Value(use(keys), Request)
	if v == nil || len(v.Members) != 2 || v.Members[0].Name == v.Members[1].Name {
		t.Fatalf("two names of the pattern: %+v", v)
	}
	for _, m := range v.Members {
		if !regexp.MustCompile("^x-[a-z]$").MatchString(m.Name) {
			t.Errorf("the name %q is not of the pattern", m.Name)
		}
	}
	tuple := &ir.Type{Kind: ir.KindTuple, Tuple: []*ir.Use{use(scalar(ir.Int64)), use(scalar(ir.String))}, Closed: true}
	if v := Value(use(tuple), Request); v == nil || len(v.Items) != 2 || v.Items[0].Kind != ir.NumberValue || v.Items[1].Kind != ir.StringValue {
		t.Errorf("each position: %+v", v)
	}
	if v := Value(use(&ir.Type{Kind: ir.KindNever}), Request); v != nil {
		t.Errorf("the false schema: %+v", v)
	}
}

func TestParametersAreNotEmpty(t *testing.T) {
	flag := &ir.Type{Kind: ir.KindEnum, Enum: []*ir.EnumValue{{Value: str("")}, {Value: str("on")}}}
	if v := Param(&ir.Param{Name: "flag", In: "path", Use: use(flag)}); v == nil || v.Text != "on" {
		t.Errorf("%+v", v)
	}
	flag.Enum = flag.Enum[:1]
	if v := Param(&ir.Param{Name: "flag", In: "path", Use: use(flag)}); v != nil {
		t.Errorf("a path has no empty segment: %+v", v)
	}
	if v := Param(&ir.Param{Name: "flag", In: "query", Use: use(flag)}); v == nil || v.Text != "" {
		t.Errorf("a query may: %+v", v)
	}
	color := object(field("R", false, scalar(ir.Int64)), field("more", false, object()))
	if v := Param(&ir.Param{Name: "c", In: "path", Use: use(color)}); v == nil || len(v.Members) != 1 || v.Members[0].Name != "R" {
		t.Errorf("an object has its plain members: %+v", v)
	}
}
