package resilience

// Primitive says where what last spoke of a primitive of a side stands, its preset and
// fields included: for one that was turned on by true no field says it. ok is false for
// one that is off, or that the side does not have.
func (v *View) Primitive(server bool, name string) (src Source, ok bool) {
	slots := v.o.client
	if server {
		slots = v.o.server
	}
	s := slots[name]
	if s == nil || !s.on {
		return Source{}, false
	}
	return v.o.sourceOf(s.at, s.at, s.weight, ""), true
}
