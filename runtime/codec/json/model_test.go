package json_test

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// The types here are what generated code looks like.

type order struct {
	ID       string
	Customer value.UUID
	Status   string
	Created  time.Time
	Total    float64
	Currency string
	Paid     bool
	Version  int64
	Note     value.Opt[string]
	Coupon   value.OptNull[string]
	Email    value.Null[string]
	Due      value.Opt[value.Date]
	Priority value.Opt[int32]
	Lines    []line
	Labels   map[string]string
	Extra    map[string]any
}

var (
	// id, customer, email and lines are required.
	orderMembers = json.Members{Names: orderOwn, Required: 1<<0 | 1<<1 | 1<<10 | 1<<13}
	orderOwn     = []string{
		"id", "customer", "status", "created", "total", "currency", "paid", "version", "note", "coupon", "email", "due",
		"priority", "lines", "labels",
	}
	orderLines  = json.Slice(json.Of[line]())
	orderLabels = json.Map(json.String)
)

func (v *order) DecodeJSON(d *json.Decoder) {
	for d.Members(&orderMembers); d.NextKey(); {
		switch d.Key() {
		case "id":
			v.ID = d.String()
		case "customer":
			v.Customer = d.UUID()
		case "status":
			v.Status = d.String()
			d.Enum(v.Status == "open" || v.Status == "closed", `"open", "closed"`)
		case "created":
			v.Created = d.Time()
		case "total":
			v.Total = d.Float64()
		case "currency":
			v.Currency = d.String()
		case "paid":
			v.Paid = d.Bool()
		case "version":
			v.Version = d.Int64()
		case "note":
			json.DecodeOpt(d, &v.Note, json.String)
		case "coupon":
			json.DecodeOptNull(d, &v.Coupon, json.String)
		case "email":
			json.DecodeNull(d, &v.Email, json.String)
		case "due":
			json.DecodeOpt(d, &v.Due, json.Date)
		case "priority":
			json.DecodeOpt(d, &v.Priority, json.Int32)
		case "lines":
			orderLines.Decode(d, &v.Lines)
		case "labels":
			orderLabels.Decode(d, &v.Labels)
		default:
			json.DecodeExtra(d, &v.Extra, json.Any)
		}
	}
}

func (v *order) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	e.Key("id").String(v.ID)
	e.Key("customer").UUID(v.Customer)
	e.Key("status").String(v.Status)
	e.Key("created").Time(v.Created)
	e.Key("total").Float64(v.Total)
	e.Key("currency").String(v.Currency)
	e.Key("paid").Bool(v.Paid)
	e.Key("version").Int64(v.Version)
	json.OptField(e, "note", &v.Note, json.String)
	json.OptNullField(e, "coupon", &v.Coupon, json.String)
	json.NullField(e, "email", &v.Email, json.String)
	json.OptField(e, "due", &v.Due, json.Date)
	json.OptField(e, "priority", &v.Priority, json.Int32)
	orderLines.Encode(e.Key("lines"), &v.Lines)
	orderLabels.Encode(e.Key("labels"), &v.Labels)
	json.ExtraFields(e, v.Extra, json.Any, orderOwn)
	e.EndObject()
}

func (v order) MarshalJSON() ([]byte, error) { return json.Marshal(&v) }

func (v *order) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, v) }

type line struct {
	SKU string
	Qty int32
}

var lineMembers = json.Members{Names: []string{"sku", "qty"}, Required: 1<<2 - 1}

func (v *line) DecodeJSON(d *json.Decoder) {
	for d.Members(&lineMembers); d.NextKey(); {
		switch d.Key() {
		case "sku":
			v.SKU = d.String()
		case "qty":
			v.Qty = d.Int32()
		default:
			d.Reject()
		}
	}
}

func (v *line) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	e.Key("sku").String(v.SKU)
	e.Key("qty").Int64(int64(v.Qty))
	e.EndObject()
}

// account has members of one direction.
type account struct {
	ID, Email, Password string
}

var accountRequired = json.Members{Names: []string{"id", "email", "password"}, Required: 1<<3 - 1, ReadOnly: 1 << 0, WriteOnly: 1 << 2}

func (v *account) DecodeJSON(d *json.Decoder) {
	var seen uint64
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "id":
			if d.IgnoreReadOnly() {
				continue
			}
			v.ID = d.String()
			seen |= 1 << 0
		case "email":
			v.Email = d.String()
			seen |= 1 << 1
		case "password":
			v.Password = d.String()
			seen |= 1 << 2
		default:
			d.Unknown()
		}
	}
	d.Require(seen, &accountRequired)
}

func (v *account) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	if e.Direction().ReadOnly() {
		e.Key("id").String(v.ID)
	}
	e.Key("email").String(v.Email)
	if e.Direction().WriteOnly() {
		e.Key("password").String(v.Password)
	}
	e.EndObject()
}

// hasFoo, hasBar and thing: a oneOf that is told apart by required members.
type hasFoo struct{ ID, Foo value.Opt[string] }

var fooRequired = json.Members{Names: []string{"foo"}, Required: 1<<1 - 1}

func (v *hasFoo) DecodeJSON(d *json.Decoder) {
	var seen uint64
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "id":
			json.DecodeOpt(d, &v.ID, json.String)
		case "foo":
			json.DecodeOpt(d, &v.Foo, json.String)
			seen |= 1
		default:
			d.Unknown()
		}
	}
	d.Require(seen, &fooRequired)
}

func (v *hasFoo) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	json.OptField(e, "id", &v.ID, json.String)
	json.OptField(e, "foo", &v.Foo, json.String)
	e.EndObject()
}

type hasBar struct{ ID, Bar value.Opt[string] }

var barRequired = json.Members{Names: []string{"bar"}, Required: 1<<1 - 1}

func (v *hasBar) DecodeJSON(d *json.Decoder) {
	var seen uint64
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "id":
			json.DecodeOpt(d, &v.ID, json.String)
		case "bar":
			json.DecodeOpt(d, &v.Bar, json.String)
			seen |= 1
		default:
			d.Unknown()
		}
	}
	d.Require(seen, &barRequired)
}

func (v *hasBar) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	json.OptField(e, "id", &v.ID, json.String)
	json.OptField(e, "bar", &v.Bar, json.String)
	e.EndObject()
}

type thing struct {
	Foo *hasFoo
	Bar *hasBar
}

func (v *thing) DecodeJSON(d *json.Decoder) {
	*v = thing{}
	u := d.Union()
	var foo hasFoo
	u.Try("HasFoo", &foo)
	var bar hasBar
	u.Try("HasBar", &bar)
	switch u.OneOf() {
	case 0:
		v.Foo = &foo
	case 1:
		v.Bar = &bar
	}
}

func (v *thing) EncodeJSON(e *json.Encoder) {
	switch e.Variant("Thing", v.Foo != nil, v.Bar != nil) {
	case 0:
		v.Foo.EncodeJSON(e)
	case 1:
		v.Bar.EncodeJSON(e)
	}
}

// contact is the same as an anyOf.
type contact struct {
	Foo *hasFoo
	Bar *hasBar
}

func (v *contact) DecodeJSON(d *json.Decoder) {
	*v = contact{}
	u := d.Union()
	var foo hasFoo
	u.Try("HasFoo", &foo)
	var bar hasBar
	u.Try("HasBar", &bar)
	if !u.AnyOf() {
		return
	}
	if u.Matches(0) {
		v.Foo = &foo
	}
	if u.Matches(1) {
		v.Bar = &bar
	}
}

func (v *contact) EncodeJSON(e *json.Encoder) {
	var parts []json.Marshaler
	if v.Foo != nil {
		parts = append(parts, v.Foo)
	}
	if v.Bar != nil {
		parts = append(parts, v.Bar)
	}
	if parts == nil {
		e.Fail("no variant of Contact is set")
		return
	}
	e.Merge(parts...)
}

// node contains itself, directly and through a union.
type node struct {
	Value value.Opt[int64]
	Next  *node
	Kids  []node
	Other *tree
}

var nodeKids = json.Slice(json.Of[node]())

func (v *node) DecodeJSON(d *json.Decoder) {
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "value":
			json.DecodeOpt(d, &v.Value, json.Int64)
		case "next":
			json.DecodePtr(d, &v.Next, json.Of[node]())
		case "kids":
			nodeKids.Decode(d, &v.Kids)
		case "other":
			json.DecodePtr(d, &v.Other, json.Of[tree]())
		default:
			d.Unknown()
		}
	}
}

func (v *node) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	json.OptField(e, "value", &v.Value, json.Int64)
	json.PtrField(e, "next", v.Next, json.Of[node]())
	if v.Kids != nil {
		nodeKids.Encode(e.Key("kids"), &v.Kids)
	}
	json.PtrField(e, "other", v.Other, json.Of[tree]())
	e.EndObject()
}

// tree is one of two types that both contain a tree, so that a careless decoder
// takes time exponential in the depth.
type tree struct {
	Left  *leftTree
	Right *rightTree
}

type leftTree struct {
	Child *tree
	Left  value.Opt[bool]
}

type rightTree struct {
	Child *tree
	Right value.Opt[bool]
}

func (v *tree) DecodeJSON(d *json.Decoder) {
	u := d.Union()
	var left leftTree
	u.Try("Left", &left)
	var right rightTree
	u.Try("Right", &right)
	switch u.OneOf() {
	case 0:
		v.Left = &left
	case 1:
		v.Right = &right
	}
}

func (v *tree) EncodeJSON(e *json.Encoder) { e.Null() }

var leftRequired, rightRequired = json.Members{Names: []string{"left"}, Required: 1<<1 - 1}, json.Members{Names: []string{"right"}, Required: 1<<1 - 1}

func (v *leftTree) DecodeJSON(d *json.Decoder) {
	var seen uint64
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "child":
			json.DecodePtr(d, &v.Child, json.Of[tree]())
		case "left":
			json.DecodeOpt(d, &v.Left, json.Bool)
			seen |= 1
		default:
			d.Unknown()
		}
	}
	d.Require(seen, &leftRequired)
}

func (v *rightTree) DecodeJSON(d *json.Decoder) {
	var seen uint64
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "child":
			json.DecodePtr(d, &v.Child, json.Of[tree]())
		case "right":
			json.DecodeOpt(d, &v.Right, json.Bool)
			seen |= 1
		default:
			d.Unknown()
		}
	}
	d.Require(seen, &rightRequired)
}

// short is a string type with a constraint, which tells it from others in a union.
type short string

var shortRules = check.StringRules{MaxLength: check.Len(3)}

func (v *short) DecodeJSON(d *json.Decoder) { *v = short(d.String()) }

func (v *short) EncodeJSON(e *json.Encoder) { e.String(string(*v)) }

func (v *short) Validate(c *check.Checker) { check.StringOf[short](&shortRules)(v, c) }
