package emit

// operations writes the operation half of the package.
func (e *emitter) operations() {}
