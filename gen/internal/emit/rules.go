package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/check"
)

// rules makes the element functions, func(*T, *check.Checker), of everything that has
// a constraint.
type rules struct {
	e    *emitter
	pool *pool
}

func newRules(e *emitter) *rules { return &rules{e: e, pool: newPool("check")} }

// rule is one element function: the code, and what it says as a key and as words.
type rule struct {
	key, words string
	code       func() *jen.Statement
	shared     bool   // better kept in a package variable
	method     string // the type whose Validate method it is
}

// function gives the expression of the element function for the values of a use,
// without its wrap; nil when there is nothing to check.
func (r *rules) function(u *ir.Use) *jen.Statement {
	f := r.use(u)
	if f == nil {
		return nil
	}
	return r.expr(f)
}

// expr is a rule where it is used.
func (r *rules) expr(f *rule) *jen.Statement {
	if !f.shared {
		return f.code()
	}
	return r.pool.get(f.key, f.words, f.code)
}

// use composes the rule of a use: what its type validates by itself, and the
// constraints along the way to it.
func (r *rules) use(u *ir.Use) *rule {
	var list []*rule
	add := func(f *rule) {
		if f != nil {
			list = append(list, f)
		}
	}
	base := u.Type
	add(r.checks(u.Checks, base))
	t := base
	for range 1000 {
		if t.GoType != nil || t.Kind != ir.KindAlias || t.Target == nil {
			break
		}
		add(r.checks(t.Checks, base))
		add(r.checks(t.Target.Checks, base))
		t = t.Target.Type
	}
	add(r.own(t))
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return r.all(list)
}

// own is the rule of a type that is no alias.
func (r *rules) own(t *ir.Type) *rule {
	switch {
	case t.GoType != nil:
		return nil
	case r.e.hasMethods(t):
		if !r.e.facts.checked[t] {
			return nil
		}
		name := r.e.typeName(t)
		return &rule{key: typeWord(name), words: typeWord(name), method: name, code: func() *jen.Statement {
			return jen.Parens(jen.Op("*").Id(name)).Dot("Validate")
		}}
	}
	var list []*rule
	if f := r.checks(t.Checks, t); f != nil {
		list = append(list, f)
	}
	if f := r.elements(t); f != nil {
		list = append(list, f)
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return r.all(list)
}

// elements is the rule that walks the items of an array or the values of a map
// written in place.
//
//	check.SliceOf(check.Of[Line]())
func (r *rules) elements(t *ir.Type) *rule {
	if t.Elem == nil || (t.Kind != ir.KindArray && t.Kind != ir.KindMap) {
		return nil
	}
	f := r.element(t.Elem)
	if f == nil {
		return nil
	}
	maker := "SliceOf"
	if t.Kind == ir.KindMap {
		maker = "MapOf"
	}
	word := strings.TrimSuffix(maker, "Of")
	return &rule{key: word + f.key, words: word + f.words, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgCheck, maker).Call(r.inner(f))
	}}
}

// element is the rule of an element within its wrap.
func (r *rules) element(u *ir.Use) *rule {
	f := r.use(u)
	if f == nil {
		return nil
	}
	maker := map[wrap]string{null: "NullOf", pointer: "PtrOf"}[wrapOf(u, true)]
	if maker == "" {
		return f
	}
	word := strings.TrimSuffix(maker, "Of")
	return &rule{key: word + f.key, words: word + f.words, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgCheck, maker).Call(r.inner(f))
	}}
}

// inner is a rule as an argument within a package variable. A method goes through
// check.Of there, since Go would see a cycle in a method expression.
func (r *rules) inner(f *rule) *jen.Statement {
	if f.shared {
		return r.pool.get(f.key, f.words, f.code)
	}
	return jen.Qual(pkgCheck, "Of").Types(jen.Id(f.method)).Call()
}

func (r *rules) all(list []*rule) *rule {
	var keys, words []string
	for _, f := range list {
		keys = append(keys, f.key)
		words = append(words, f.words)
	}
	return &rule{
		key: "All(" + strings.Join(keys, ",") + ")", words: strings.Join(words, ""), shared: true,
		code: func() *jen.Statement {
			args := make([]jen.Code, len(list))
			for i, f := range list {
				args[i] = r.inner(f)
			}
			return jen.Qual(pkgCheck, "All").Call(args...)
		},
	}
}

// checks is the rule of constraints on values of the type t.
func (r *rules) checks(c *ir.Checks, t *ir.Type) *rule {
	if !hasChecks(c) {
		return nil
	}
	f := r.bounds(c, t)
	if !hasRules(c) {
		return f
	}
	held := r.held(c, t)
	if f == nil {
		return held
	}
	return r.all([]*rule{f, held})
}

// bounds is the rule of everything but the schemas.
func (r *rules) bounds(c *ir.Checks, t *ir.Type) *rule {
	target := resolve(t)
	switch {
	case target.GoType != nil:
		return nil
	case target.Kind == ir.KindScalar || target.Kind == ir.KindEnum:
		return r.scalar(c, t, target)
	case target.Kind == ir.KindArray:
		return r.array(c, t, target)
	case target.Kind == ir.KindMap:
		return r.size("PropertiesOf", "Properties", c.MinProperties, c.MaxProperties, t)
	case target.Kind == ir.KindStruct:
		return r.members(c, target)
	}
	return nil
}

// scalar is the rule of one scalar.
//
//	check.StringOf[string](&check.StringRules{MinLength: 1})
func (r *rules) scalar(c *ir.Checks, t, target *ir.Type) *rule {
	var maker, kind, words string
	var pairs []pair
	s := target.Scalar
	if target.Kind == ir.KindEnum {
		if s = enumScalar(target); isMixed(target) || isNumberText(s) {
			return nil // the list of values says it all
		}
	}
	switch {
	case s == ir.String:
		return r.strings(c, t)
	case isUnsigned(s):
		maker, kind = "UintOf", "UintRules"
		pairs, words = wholeBounds(c, "Uint", new(big.Int), new(big.Int).SetUint64(1<<64-1))
	case isInteger(s):
		maker, kind = "IntOf", "IntRules"
		pairs, words = wholeBounds(c, "Int", big.NewInt(-1<<63), big.NewInt(1<<63-1))
	case isFloat(s):
		maker, kind = "FloatOf", "FloatRules"
		pairs, words = floatBounds(c)
	case isNumberText(s):
		maker, kind = "NumberOf", "NumberRules"
		pairs, words = numberBounds(c)
	}
	if len(pairs) == 0 {
		return nil
	}
	typ, word := r.e.baseType(t), r.e.typeWords(t)
	key := word + words
	return &rule{key: key, words: key, shared: true, code: func() *jen.Statement {
		f := jen.Qual(pkgCheck, maker)
		if maker != "NumberOf" {
			f.Types(typ)
		}
		return f.Call(jen.Op("&").Add(ordered(jen.Qual(pkgCheck, kind), pairs...)))
	}}
}

// strings is the rule of a string. Only the last pattern and the format stand in one
// set of rules; further patterns get a set of their own.
func (r *rules) strings(c *ir.Checks, t *ir.Type) *rule {
	var pairs []pair
	var words, key string
	if c.MinLength != nil && *c.MinLength > 0 {
		pairs = append(pairs, pair{"MinLength", jen.Lit(int(*c.MinLength))})
		words += "Min" + strconv.FormatInt(*c.MinLength, 10)
	}
	if c.MaxLength != nil {
		pairs = append(pairs, pair{"MaxLength", jen.Qual(pkgCheck, "Len").Call(jen.Lit(int(*c.MaxLength)))})
		words += "Max" + strconv.FormatInt(*c.MaxLength, 10)
	}
	key = words
	if name, ok := formatName(c.Format); ok {
		pairs = append(pairs, pair{"Format", jen.Qual(pkgCheck, name)})
		words += strings.TrimPrefix(name, "Format")
		key = words
	}
	patterns := usable(c.Pattern)
	if len(patterns) > 0 {
		pairs = append(pairs, pair{"Pattern", jen.Qual(pkgCheck, "Regexp").Call(jen.Lit(patterns[0]))})
		words += "Pattern"
		key = words + "\x00" + patterns[0]
	}
	if len(pairs) == 0 {
		return nil
	}
	typ, word := r.e.baseType(t), r.e.typeWords(t)
	f := &rule{key: word + key, words: word + words, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgCheck, "StringOf").Types(typ).Call(
			jen.Op("&").Add(ordered(jen.Qual(pkgCheck, "StringRules"), pairs...)))
	}}
	if len(patterns) < 2 {
		return f
	}
	more := r.strings(&ir.Checks{Pattern: patterns[1:]}, t)
	return r.all([]*rule{f, more})
}

// usable drops the patterns that cannot be run; lower has warned about them.
func usable(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if _, err := check.Compile(p); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// array is the rule of an array's length and of the equality of its items.
func (r *rules) array(c *ir.Checks, t, target *ir.Type) *rule {
	f := r.size("ItemsOf", "Items", c.MinItems, c.MaxItems, t)
	if !c.UniqueItems {
		return f
	}
	typ, word := r.e.baseType(t), r.e.typeWords(t)
	u := &rule{key: word + "Unique", words: word + "Unique", shared: true, code: func() *jen.Statement {
		if comparableItems(target.Elem) {
			return jen.Qual(pkgCheck, "UniqueOf").Types(typ)
		}
		return jen.Qual(pkgJSON, "UniqueOf").Types(typ).Call(r.e.codec(target.Elem))
	}}
	if f == nil {
		return u
	}
	return r.all([]*rule{f, u})
}

// comparableItems reports whether == on the Go values is equality of the JSON values.
func comparableItems(u *ir.Use) bool {
	if u == nil || nullable(u) {
		return false
	}
	t := resolve(u.Type)
	if t.GoType != nil || isMixed(t) || (t.Kind != ir.KindScalar && t.Kind != ir.KindEnum) {
		return false
	}
	switch t.Scalar {
	case ir.Bytes, ir.BigInt, ir.Decimal, ir.DateTime, ir.Time, ir.Duration:
		return false // equal values with several texts, or not comparable
	}
	return true
}

// size is the rule of a number of items or members.
func (r *rules) size(maker, word string, low, high *int64, t *ir.Type) *rule {
	pairs, words := sizePairs(low, high)
	if len(pairs) == 0 {
		return nil
	}
	typ := r.e.baseType(t)
	key := r.e.typeWords(t) + word + words
	return &rule{key: key, words: key, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgCheck, maker).Types(typ).Call(
			jen.Op("&").Add(ordered(jen.Qual(pkgCheck, "SizeRules"), pairs...)))
	}}
}

func sizePairs(low, high *int64) ([]pair, string) {
	var pairs []pair
	var words string
	if low != nil && *low > 0 {
		pairs = append(pairs, pair{"Min", jen.Lit(int(*low))})
		words += "Min" + strconv.FormatInt(*low, 10)
	}
	if high != nil {
		pairs = append(pairs, pair{"Max", jen.Qual(pkgCheck, "Len").Call(jen.Lit(int(*high)))})
		words += "Max" + strconv.FormatInt(*high, 10)
	}
	return pairs, words
}

// formatName is the identifier of a checked format.
func formatName(format string) (string, bool) {
	f, ok := check.ParseFormat(format)
	if !ok || f == check.FormatNone {
		return "", false
	}
	name, ok := formatNames[f]
	return name, ok
}

var formatNames = map[check.Format]string{
	check.FormatDateTime: "FormatDateTime", check.FormatDate: "FormatDate", check.FormatTime: "FormatTime",
	check.FormatDuration: "FormatDuration", check.FormatEmail: "FormatEmail", check.FormatHostname: "FormatHostname",
	check.FormatIPv4: "FormatIPv4", check.FormatIPv6: "FormatIPv6", check.FormatIP: "FormatIP",
	check.FormatURI: "FormatURI", check.FormatURIReference: "FormatURIReference",
	check.FormatURITemplate: "FormatURITemplate", check.FormatUUID: "FormatUUID",
	check.FormatJSONPointer: "FormatJSONPointer", check.FormatRelativeJSONPointer: "FormatRelativeJSONPointer",
	check.FormatRegex: "FormatRegex", check.FormatByte: "FormatByte",
}

// numberWord writes a number into a name: 0.5 is 0_5, -1 is Minus1. A text with an
// exponent becomes a hash.
func numberWord(text string) string {
	if strings.Trim(text, "0123456789.-") != "" {
		sum := sha256.Sum256([]byte(text))
		return "H" + hex.EncodeToString(sum[:4])
	}
	return strings.NewReplacer("-", "Minus", ".", "_").Replace(text)
}
