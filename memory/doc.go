// Package memory keeps what was said and done, cut into chunks that can be found again. It is the ground of the rooms that do something
// with memory: what a chunk is, how sessions and decisions become chunks, what there is, and how it is forgotten.
//
//	(:Chunk {uid, project, session, position, agent, kind, at, ends_at, tokens, text, hash, first, last, title, terms, facets, visibility})
//	(:Chunk)-[:NEXT]->(:Chunk)                              the one behind it in its session; position counts from 0
//	(:Chunk)-[:FROM]->(:Session)                            whose events or turns it holds
//	(:Chunk)-[:FROM]->(:Decision)                           a decision that it holds, or that was recorded, changed or reviewed in it
//	(:Chunk)-[:FROM]->(:TraceEvent)                         the first event that it holds; first and last are the seq of the first and the last
//	(:Chunk {kind: 'fact'})-[:SUPERSEDES]->(:Chunk {kind: 'fact'})
//	(:ChunkEmbedding {model, text, passage})-[:OF]->(:Chunk)      one for each passage of its text, made from the mark UnindexedChunk
//	(:Session {project, title, chunks, tokens, remembered_from, remembered_to})     with counts of its chunks, in the same transaction
//	(:MemoryProject {key, name, chunks, tokens, first_at, last_at})                 likewise
//	(:ForgottenChunk {uid, session, position, hash, forgotten_at, forgotten_by})    what is left of a chunk that was forgotten
//
// Kinds:
//
//   - conversation: turns of an imported conversation. Its Session has kind 'imported', source and external_id, and no events; first
//     and last are the numbers of its turns, from 0.
//   - summary: what a client kept of a conversation when it compacted it, in the place where it did so.
//   - events: what one of our own sessions recorded, a line an event. A decision stands in it with its id and in one line.
//   - fact: a note or fact that an agent remembered, with valid_from, valid_until, subject, and superseded_at where another holds since. Its
//     Session has kind 'imported' and source 'notes': one for each agent in each project.
//   - decision: a decision with its reasons, reviews and outcome as they are now. It has no position, so at most one chunk is of one
//     decision (the property decision is its uid); session is the one in which it was recorded, where that is known.
//
// at and ends_at are the times of the first and the last thing in it, in UTC. agent is a name as people know it, project likewise, as
// owner/repo where that is known, else the name of the folder. tokens are those of text by cl100k_base, at most MostTokens. hash is the SHA-256 of text in hex.
// facets are tokens of search.Facet for kind, project, agent, session (its uid) and month (search.MonthFacet), and serve filters;
// terms are further words to be found by: the day, as people say it, and what its source adds. visibility is private, project or shared: a decision's own; of all else private, which is
// for the agent itself.
//
// A session or a decision that says something new is marked Unremembered in the transaction that says it. A server has what is marked
// made into chunks in the background (Store.Wake); whoever asks memory has it done first (Store.CatchUp). Any process may, and exactly one does. Only the last chunk of a session may still change.
package memory
