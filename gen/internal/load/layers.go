package load

// Annotation is the name of the members that [Document.Layers] keeps apart.
const Annotation = "x-resilience"

// Layers returns the x-resilience members that overlays laid over a holder: the
// root, a tag, a path item or an operation. The weakest comes first. The holder's
// own member, which is weaker than all of them, is not among them; where the
// document had none, the first overlay's has become the holder's own. Keys and
// values have the positions of the overlays that they come from. The result is
// nil for a holder with no more than its own.
func (d *Document) Layers(holder *Node) []Member { return d.layers[holder] }
