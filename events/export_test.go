package events

// Idle reports whether there is no reader.
func (f *Feed) Idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader == nil
}
