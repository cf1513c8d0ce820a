package events

import "time"

// Idle reports whether there is no reader.
func (f *Feed) Idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reader == nil
}

// Waits returns the delays of a series of comparisons of the given number of nodes, each of which waits for the one
// before, if one is requested at the given interval.
func Waits(every time.Duration, nodes int, took ...time.Duration) []time.Duration {
	var p comparisonSchedule
	now := time.Now()
	waits := make([]time.Duration, len(took))
	for i, long := range took {
		waits[i] = max(0, p.next.Sub(now))
		now = now.Add(waits[i])
		p.record(now, long, nodes)
		now = now.Add(max(every, long))
	}
	return waits
}
