// Package decisions stores decisions with their reasons, confidence and outcome. It holds the core types and the life
// cycle; each subpackage is one activity.
//
// Active rules are evaluated before a decision is written. Text is never lost: an update adds a Revision with the
// previous text, a review is appended. Queries, checks and thoughts that the agent recorded earlier in its session are
// attached in order.
//
// Store.Record, Update, Review, Retract and SetPreserve write. Get reads one decision with everything that belongs to
// it, and Resolve finds a decision by id or prefix. Store.Draft, Evaluate and StoreDraft are the steps of Record, for
// callers that do other work between them. Store.Note adds an event to the session. BackgroundWorkers are woken after
// decisions were written.
package decisions
