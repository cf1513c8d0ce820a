// Package trace stores the events of sessions as a hash chain for each session. No event can be changed, removed or
// inserted without detection. Secrets are masked before events reach the graph.
//
// A session belongs to one agent. A caller can pass the session's id. Otherwise the session is ambient: it belongs to
// the agent and its workspace, and ends when it is idle.
package trace
