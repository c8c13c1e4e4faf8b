package cache

// Stats are what the cache holds; ok is false where its store does not tell, as one that
// instances share. A store of your own tells with the methods Len and Bytes of [Memory].
func (c *Cache) Stats() (entries int, bytes int64, ok bool) {
	s, ok := c.store.(interface {
		Len() int
		Bytes() int64
	})
	if !ok {
		return 0, 0, false
	}
	return s.Len(), s.Bytes(), true
}
