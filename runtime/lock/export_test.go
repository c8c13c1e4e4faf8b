package lock

// Held is the number of locks that a backend in memory holds, ended ones included.
func Held(b Backend) int {
	m := b.(*memory) //nolint:forcetypeassert // As said.
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.locks)
}
