package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// wrap is how a place that holds a value tells that there is none.
type wrap uint8

const (
	plain   wrap = iota // T; a list or any that is not there is nil
	pointer             // *T: nil is absent, or null where the value is required
	opt                 // value.Opt[T]: absent or a value
	null                // value.Null[T]: null or a value
	optNull             // value.OptNull[T]: absent, null or a value
)

// wrapOf chooses the wrap of a member, a parameter or a body. An element of an array
// or map, and a value that must be there, is required.
//
//	scalar: T;   optional: Opt[T]; nullable: Null[T]; both: OptNull[T]
//	struct: T;   optional: *T; nullable: *T; both: OptNull[T]
//	list: T;     optional: T; nullable: T; both: OptNull[T]
//	any: any;    optional: Opt[any], nullable or not
func wrapOf(u *ir.Use, required bool) wrap {
	null0 := nullable(u)
	switch classOf(u.Type) {
	case classStruct:
		switch {
		case required && !null0:
			return plain
		case !required && null0:
			return optNull
		}
		return pointer
	case classList:
		if !required && null0 {
			return optNull
		}
		return plain
	case classAny:
		if required {
			return plain
		}
		return opt
	}
	switch {
	case required && !null0:
		return plain
	case required:
		return null
	case null0:
		return optNull
	}
	return opt
}

// goType is the Go type of a place: the type of the use within its wrap.
func (e *emitter) goType(u *ir.Use, required bool) *jen.Statement {
	return wrapped(wrapOf(u, required), e.baseType(u.Type))
}

// elemType is the Go type of an element of an array or a map.
func (e *emitter) elemType(u *ir.Use) *jen.Statement {
	if u == nil {
		return jen.Any()
	}
	return e.goType(u, true)
}

func wrapped(w wrap, base *jen.Statement) *jen.Statement {
	switch w {
	case pointer:
		return jen.Op("*").Add(base)
	case opt:
		return jen.Qual(pkgValue, "Opt").Types(base)
	case null:
		return jen.Qual(pkgValue, "Null").Types(base)
	case optNull:
		return jen.Qual(pkgValue, "OptNull").Types(base)
	}
	return base
}

// baseType is the Go type of a schema, without regard to absence and null.
func (e *emitter) baseType(t *ir.Type) *jen.Statement {
	if g := t.GoType; g != nil {
		if g.Import == "" {
			return jen.Id(g.Name)
		}
		return jen.Qual(g.Import, g.Name)
	}
	if name := e.names.Type(t); name != "" {
		return e.own(name)
	}
	return e.bareType(t)
}

// own is an identifier of the document's package, as it is written there or in a package
// that imports it.
func (e *emitter) own(name string) *jen.Statement {
	if e.home == "" {
		return jen.Id(name)
	}
	return jen.Qual(e.home, name)
}

// bareType is the Go type of a schema written out, also of one with a declaration.
func (e *emitter) bareType(t *ir.Type) *jen.Statement {
	switch t.Kind {
	case ir.KindScalar, ir.KindEnum:
		return scalarType(t.Scalar)
	case ir.KindArray, ir.KindTuple:
		return jen.Index().Add(e.elemType(t.Elem))
	case ir.KindMap, ir.KindStruct:
		return jen.Map(jen.String()).Add(e.elemType(t.Elem))
	case ir.KindNull, ir.KindNever:
		return jen.Struct()
	case ir.KindBinary:
		return jen.Index().Byte()
	case ir.KindAlias:
		if t.Target != nil {
			return e.baseType(t.Target.Type)
		}
	}
	return jen.Any()
}

// scalarType is the Go type of a JSON scalar.
func scalarType(s ir.Scalar) *jen.Statement {
	switch s {
	case ir.Bool:
		return jen.Bool()
	case ir.Int8:
		return jen.Int8()
	case ir.Int16:
		return jen.Int16()
	case ir.Int32:
		return jen.Int32()
	case ir.Int64:
		return jen.Int64()
	case ir.Uint8:
		return jen.Uint8()
	case ir.Uint16:
		return jen.Uint16()
	case ir.Uint32:
		return jen.Uint32()
	case ir.Uint64:
		return jen.Uint64()
	case ir.Float32:
		return jen.Float32()
	case ir.Float64:
		return jen.Float64()
	case ir.BigInt, ir.Decimal:
		return jen.Qual(pkgValue, "Number")
	case ir.Bytes:
		return jen.Index().Byte()
	case ir.DateTime:
		return jen.Qual("time", "Time")
	case ir.Date:
		return jen.Qual(pkgValue, "Date")
	case ir.Time:
		return jen.Qual(pkgValue, "Time")
	case ir.Duration:
		return jen.Qual(pkgValue, "Duration")
	case ir.UUID:
		return jen.Qual(pkgValue, "UUID")
	case ir.IPv4, ir.IPv6, ir.IP:
		return jen.Qual("net/netip", "Addr")
	}
	return jen.String()
}

// isInteger and isFloat sort the scalars that are numbers.
func isInteger(s ir.Scalar) bool { return s >= ir.Int8 && s <= ir.Uint64 }
func isUnsigned(s ir.Scalar) bool {
	return s >= ir.Uint8 && s <= ir.Uint64
}
func isFloat(s ir.Scalar) bool { return s == ir.Float32 || s == ir.Float64 }

// isNumberText reports the scalars kept as the text of a JSON number.
func isNumberText(s ir.Scalar) bool { return s == ir.BigInt || s == ir.Decimal }
