package resilience

// clientFlows checks the primitives of section 9 that a client has.
func (d *decoder) clientFlows() {}

// serverFlows checks the primitives of section 9 that a server has.
func (d *decoder) serverFlows() {}

// rootFlows checks the keys of section 9 that stand at the root.
func (m *merger) rootFlows(all []*operation) {}
