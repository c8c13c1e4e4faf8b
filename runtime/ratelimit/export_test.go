package ratelimit

// Holds is the number of the server's limits that a limiter knows of.
func Holds(l *Limiter) (n int) {
	for i := range l.shards {
		l.shards[i].mu.Lock()
		n += len(l.shards[i].held)
		l.shards[i].mu.Unlock()
	}
	return n
}
