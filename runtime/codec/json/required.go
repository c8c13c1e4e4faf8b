package json

// Required names the members that an object must have, at most 64 in one table.
type Required struct {
	Names []string
	// Bit i stands for Names[i].
	ReadOnly, WriteOnly uint64
	// More are the members past the 64th, nil for none.
	More *Required
}

// tableSize is how many names a Required holds: as many as a seen has bits.
const tableSize = 64

// Members opens an object as Object does, one that must have the members of r:
//
//	for d.Members(&orderRequired); d.NextKey(); { switch d.Key() { … } }
//
// Those that are missing are noted at its end. A readOnly member is not demanded
// of a request, a writeOnly one not of a response.
func (d *Decoder) Members(r *Required) {
	n := len(d.frames)
	d.open('{', KindObject)
	if len(d.frames) > n {
		d.frames[n].required = r
	}
}

// mark notes that a member was there. Members mostly come in the order in which
// the schema has them, so that one comparison is enough.
func (f *frame) mark(key string) {
	if i := f.next; i < len(f.required.Names) && f.required.Names[i] == key {
		f.seen |= 1 << i
		f.next = i + 1
		return
	}
	f.search(key)
}

// search is mark for a member that is not the expected one.
func (f *frame) search(key string) {
	for i, name := range f.required.Names {
		if name == key {
			f.seen |= 1 << i
			f.next = i + 1
			return
		}
	}
	table := 0
	for r := f.required.More; r != nil; r = r.More {
		for i, name := range r.Names {
			if name != key {
				continue
			}
			for len(f.more) <= table {
				f.more = append(f.more, 0)
			}
			f.more[table] |= 1 << i
			return
		}
		table++
	}
}

// demand notes the members that are missing from the object of f, which was just
// closed.
func (d *Decoder) demand(f *frame) {
	d.Require(f.seen, f.required)
	table := 0
	for r := f.required.More; r != nil; r = r.More {
		seen := uint64(0)
		if table < len(f.more) {
			seen = f.more[table]
		}
		d.Require(seen, r)
		table++
	}
}

// Require notes the required members that are missing from the object just
// read: bit i of seen says that r.Names[i] was there. Members does it by itself.
func (d *Decoder) Require(seen uint64, r *Required) {
	need := ^uint64(0) >> (tableSize - min(uint(len(r.Names)), tableSize))
	if seen&need == need || d.err != nil || d.loop == loopOver {
		return
	}
	if !d.mode.Direction.ReadOnly() {
		need &^= r.ReadOnly
	}
	if !d.mode.Direction.WriteOnly() {
		need &^= r.WriteOnly
	}
	if seen&need == need {
		return // what is missing does not travel this way
	}
	for i, name := range r.Names {
		if i < tableSize && need&^seen&(1<<i) != 0 {
			d.findings(finding{offset: d.start, member: true, name: name, rule: "required", detail: "is missing"})
		}
	}
	d.abort()
}
