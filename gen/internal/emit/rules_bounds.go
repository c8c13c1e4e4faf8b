package emit

import (
	"math/big"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// wholeBounds writes the bounds of an integer type. A bound between two integers is
// moved inwards, one outside the type says nothing or cannot be met.
//
//	Minimum: check.Int(1), Maximum: check.Int(5)
func wholeBounds(c *ir.Checks, limit string, lowest, highest *big.Int) ([]pair, string) {
	var pairs []pair
	var words string
	one := big.NewInt(1)
	add := func(field, word string, n *big.Int) {
		pairs = append(pairs, pair{field, jen.Qual(pkgCheck, limit).Call(number(n.String()))})
		words += word + numberWord(n.String())
	}
	if low, whole, ok := floor(c.Minimum); ok {
		if !whole || c.ExclusiveMinimum {
			low = new(big.Int).Add(low, one)
		}
		switch {
		case low.Cmp(highest) > 0:
			add("ExclusiveMinimum", "Above", highest) // nothing passes
		case low.Cmp(lowest) > 0:
			add("Minimum", "From", low)
		}
	}
	if high, whole, ok := floor(c.Maximum); ok {
		if whole && c.ExclusiveMaximum {
			high = new(big.Int).Sub(high, one)
		}
		switch {
		case high.Cmp(lowest) < 0:
			add("ExclusiveMaximum", "Below", lowest) // nothing passes
		case high.Cmp(highest) < 0:
			add("Maximum", "To", high)
		}
	}
	if step, ok := wholeNumber(c.MultipleOf); ok && c.MultipleOf != "" && step.Cmp(one) > 0 && step.Cmp(highest) <= 0 {
		pairs = append(pairs, pair{"MultipleOf", number(step.String())})
		words += "Step" + step.String()
	}
	return pairs, words
}

// floor gives the greatest integer that is not above the number, and whether it is
// the number itself.
func floor(text string) (n *big.Int, whole, ok bool) {
	if text == "" {
		return nil, false, false
	}
	if n, ok := wholeNumber(text); ok {
		return n, true, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false, false
	}
	// Past 2^63 every float is whole, and no bound of an integer type is that far;
	// below, the parts of a decimal text are within reach of a rational.
	if f >= 1e30 || f <= -1e30 {
		n, _ = big.NewFloat(f).Int(nil)
		return n, true, true
	}
	if value.Number(text).Compare("0") != 0 && f < 1e-30 && f > -1e-30 {
		n = new(big.Int)
		if text[0] == '-' {
			n.SetInt64(-1)
		}
		return n, false, true
	}
	r, good := new(big.Rat).SetString(text)
	if !good {
		return nil, false, false
	}
	// Div rounds towards minus infinity for a positive divisor.
	return new(big.Int).Div(r.Num(), r.Denom()), r.IsInt(), true
}

// floatBounds writes the bounds of a float.
func floatBounds(c *ir.Checks) ([]pair, string) {
	var pairs []pair
	var words string
	add := func(text string, exclusive bool, field, word string) {
		f, err := strconv.ParseFloat(text, 64)
		if text == "" || err != nil {
			return
		}
		if exclusive {
			field, word = "Exclusive"+field, word+"Ex"
		}
		code := jen.Qual(pkgCheck, "Float").Call(number(strconv.FormatFloat(f, 'g', -1, 64)))
		pairs = append(pairs, pair{field, code})
		words += word + numberWord(text)
	}
	add(c.Minimum, c.ExclusiveMinimum, "Minimum", "From")
	add(c.Maximum, c.ExclusiveMaximum, "Maximum", "To")
	if c.MultipleOf != "" {
		pairs = append(pairs, pair{"MultipleOf", jen.Lit(c.MultipleOf)})
		words += "Step" + numberWord(c.MultipleOf)
	}
	return pairs, words
}

// numberBounds writes the bounds of a number kept as text.
func numberBounds(c *ir.Checks) ([]pair, string) {
	var pairs []pair
	var words string
	add := func(text string, exclusive bool, field, word string) {
		if text == "" {
			return
		}
		if exclusive {
			field, word = "Exclusive"+field, word+"Ex"
		}
		pairs = append(pairs, pair{field, jen.Lit(text)})
		words += word + numberWord(text)
	}
	add(c.Minimum, c.ExclusiveMinimum, "Minimum", "From")
	add(c.Maximum, c.ExclusiveMaximum, "Maximum", "To")
	add(c.MultipleOf, false, "MultipleOf", "Step")
	return pairs, words
}
