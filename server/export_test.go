package server

import "time"

// Hurry sets in which time the parts of requests must have come. It is called before Serve.
func (s *Server) Hurry(t time.Duration) { s.headerTime, s.bodyTime = t, t }

// Stall sets how long a client may take nothing of an answer. It is called before Serve.
func (s *Server) Stall(t time.Duration) { s.stalled = t }

// Forget sets how long a connection may be idle on which nobody has authenticated. It is called before Serve.
func (s *Server) Forget(t time.Duration) { s.open.anonymousTime = t }

// Open counts the connections on which somebody has not authenticated, and has.
func (s *Server) Open() (anonymous, authenticated int) {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	return s.open.anonymous.Len(), s.open.authenticated
}
