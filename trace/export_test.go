package trace

import "time"

// SetWriteLimit shortens the time that a transaction may take.
func (l *Log) SetWriteLimit(limit time.Duration) { l.limit = limit }
