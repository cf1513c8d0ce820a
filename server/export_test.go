package server

import "time"

// Hurry sets in which time the parts of requests must have come. It is called before Serve.
func (s *Server) Hurry(t time.Duration) { s.headerTime, s.bodyTime = t, t }
