package server

import "time"

// Hurry sets in which time the parts of requests must have come. It is called before Serve.
func (s *Server) Hurry(t time.Duration) { s.headerTime, s.bodyTime = t, t }

// Stall sets how long a client may take nothing of an answer. It is called before Serve.
func (s *Server) Stall(t time.Duration) { s.stalled = t }
