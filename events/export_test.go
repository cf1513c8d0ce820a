package events

import "time"

// Idle tells whether there is no reader.
func (f *Feed) Idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader == nil
}

// Waits gives how long each of some comparisons of so many nodes waits for the one before it, where one is wanted every so often.
func Waits(every time.Duration, nodes int, took ...time.Duration) []time.Duration {
	var p pace
	now := time.Now()
	waits := make([]time.Duration, len(took))
	for i, long := range took {
		waits[i] = max(0, p.next.Sub(now))
		now = now.Add(waits[i])
		p.took(now, long, nodes)
		now = now.Add(max(every, long))
	}
	return waits
}
