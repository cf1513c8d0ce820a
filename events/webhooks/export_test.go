package webhooks

import "time"

// SetTick sets the time between two claims.
func (s *Store) SetTick(d time.Duration) { s.tick = d }
