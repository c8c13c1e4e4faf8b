package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// ordinals name the positions of a tuple.
var ordinals = []string{"First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth"}

func position(i int) string {
	if i < len(ordinals) {
		return ordinals[i]
	}
	return "Item" + strconv.Itoa(i+1)
}

// tupleType writes an array whose positions have schemas of their own. A position
// that a text leaves out stays zero, and all positions are written.
//
//	type Point struct {
//		First  int64
//		Second string
//		Rest   []string
//	}
func (e *emitter) tupleType(t *ir.Type) {
	name := e.names.Type(t)
	places := make([]place, len(t.Tuple))
	var fields []jen.Code
	for i, u := range t.Tuple {
		places[i] = place{use: u, required: true, recursive: e.facts.recursive(t, u.Type)}
		fields = append(fields, jen.Id(position(i)).Add(e.placeType(places[i])))
	}
	if rest := tupleRest(t); rest {
		fields = append(fields, jen.Id("Rest").Index().Add(e.elemType(t.Elem)))
	}
	e.add(fileTypes, name, e.typeDoc(t, "It is a JSON array with one item for each field."), jen.Type().Id(name).Struct(fields...))
	e.jsonMethods(t, e.holds(t, e.tupleDecode(t, places)), e.tupleEncode(t, places))
	e.tupleValidate(t, places)
}

// tupleRest reports whether a tuple has items behind its positions.
func tupleRest(t *ir.Type) bool { return !t.Closed || t.Elem != nil }

// tupleDecode is the body of DecodeJSON.
//
//	n := 0
//	for d.Array(); d.NextItem(); n++ {
//		switch n {
//		case 0:
//			v.First = d.Int64()
//		default:
//			d.TooMany(2)
//		}
//	}
//	d.Count(n, 2, -1)
func (e *emitter) tupleDecode(t *ir.Type, places []place) []jen.Code {
	var cases []jen.Code
	for i, p := range places {
		cases = append(cases, jen.Case(jen.Lit(i)).Block(e.decode(jen.Id("v").Dot(position(i)), p)))
	}
	rest := jen.Id("d").Dot("TooMany").Call(jen.Lit(len(places)))
	if tupleRest(t) {
		rest = jen.Qual(pkgJSON, "DecodeItem").Call(jen.Id("d"), jen.Op("&").Id("v").Dot("Rest"), e.codec(t.Elem))
	}
	cases = append(cases, jen.Default().Block(rest))
	body := []jen.Code{
		jen.Id("n").Op(":=").Lit(0),
		jen.For(jen.Id("d").Dot("Array").Call(), jen.Id("d").Dot("NextItem").Call(), jen.Id("n").Op("++")).Block(
			jen.Switch(jen.Id("n")).Block(cases...)),
	}
	low, high := int64(0), int64(-1)
	if c := t.Checks; c != nil {
		if c.MinItems != nil {
			low = *c.MinItems
		}
		if c.MaxItems != nil {
			high = *c.MaxItems
		}
	}
	if low > 0 || high >= 0 {
		body = append(body, jen.Id("d").Dot("Count").Call(jen.Id("n"), jen.Lit(int(low)), jen.Lit(int(high))))
	}
	return body
}

// tupleEncode is the body of EncodeJSON.
//
//	e.BeginArray()
//	e.Int64(v.First)
//	json.EncodeItems(e, v.Rest, json.String)
//	e.EndArray()
func (e *emitter) tupleEncode(t *ir.Type, places []place) []jen.Code {
	body := []jen.Code{jen.Id("e").Dot("BeginArray").Call()}
	for i, p := range places {
		body = append(body, e.encodeTo(jen.Id("e"), jen.Id("v").Dot(position(i)), p))
	}
	if tupleRest(t) {
		body = append(body, jen.Qual(pkgJSON, "EncodeItems").Call(jen.Id("e"), jen.Id("v").Dot("Rest"), e.codec(t.Elem)))
	}
	return append(body, jen.Id("e").Dot("EndArray").Call())
}
