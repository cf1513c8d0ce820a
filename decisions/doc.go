// Package decisions keeps what was decided, why, with what confidence and how it turned out. It is the ground of the rooms that
// do something with decisions: what a decision is, and its life. Each folder beside it is one thing that is done.
//
// A decision is recorded once and judged by the rules in force before it is written. Its text is never lost: an update is a
// Revision that holds what stood before, a review is appended. What the agent queried, checked and thought in the session
// before is attached to it in order.
//
// Store.Record, Update, Review, Retract and SetPreserve write; Get reads one whole, and Resolve finds the one that an id means.
// A Draft is a decision on its way: Store.Draft, Judge and Keep are the parts of Record, for whoever looks around meanwhile.
// Store.Note leaves an event in the session. Followers are woken when decisions were written.
package decisions
