package server

import "time"

// Hurry sets the timeouts for receiving headers and bodies. Call it before Serve.
func (s *Server) Hurry(t time.Duration) { s.headerTime, s.bodyTime = t, t }

// Stall sets how long a client may read nothing of an answer. Call it before Serve.
func (s *Server) Stall(t time.Duration) { s.stalled = t }

// Forget sets how long an unauthenticated connection may be idle. Call it before Serve.
func (s *Server) Forget(t time.Duration) { s.open.anonymousTime = t }

// Open returns the numbers of anonymous and authenticated connections.
func (s *Server) Open() (anonymous, authenticated int) {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	return s.open.anonymous.Len(), s.open.authenticated
}
