// Package trace keeps what sessions leave behind: a chain of events for each, in which no event can be changed, left out or
// added unnoticed, from which secrets are masked before they reach the graph.
//
// A session belongs to one agent. Its id is the caller's, or its own where the caller gave none: such an ambient session
// stands for the agent and its workspace, and ends by being idle.
package trace
