// Package decisions keeps what was decided, why, with what confidence and how it turned out, and how decisions hang
// together, in one graph.
//
// A decision is recorded once and judged by the rules in force before it is written. Its text is never lost: an update is a
// Revision that holds what stood before, a review is appended. What the agent queried, checked and thought in the session
// before is attached to it in order.
package decisions
