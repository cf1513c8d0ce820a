// Package memory stores what was said and done as chunks that can be searched. It holds the core types: what a chunk
// is, how sessions and decisions become chunks, how chunks are listed and forgotten.
//
//	(:Chunk {uid, project, session, position, agent, kind, at, ends_at, tokens, text, hash, first, last, title, terms, facets, visibility})
//	(:Chunk)-[:NEXT]->(:Chunk)                              the next chunk of the session; position counts from 0
//	(:Chunk)-[:FROM]->(:Session)                            the session whose events or turns it holds
//	(:Chunk)-[:FROM]->(:Decision)                           a decision that it holds, or that was recorded, changed or reviewed in it
//	(:Chunk)-[:FROM]->(:TraceEvent)                         its first event; first and last are the seq of the first and the last
//	(:Chunk {kind: 'fact'})-[:SUPERSEDES]->(:Chunk {kind: 'fact'})
//	(:ChunkEmbedding {model, text, passage})-[:OF]->(:Chunk)      one for each passage of its text, made from the mark UnindexedChunk
//	(:Session {project, title, chunks, tokens, remembered_from, remembered_to})     with counts of its chunks, in the same transaction
//	(:MemoryProject {key, name, chunks, tokens, first_at, last_at})                 also in that transaction
//	(:ForgottenChunk {uid, session, position, hash, forgotten_at, forgotten_by})    the remainder of a forgotten chunk
//
// Kinds:
//
//   - conversation: turns of an imported conversation. Its Session has kind 'imported', source and external_id, and no
//
// events; first
//
//	  and last are the numbers of its turns, from 0.
//	- summary: a client's summary of a conversation that it compacted, at the position of the compaction.
//	- events: events of a session that Nomograph recorded, one event per line. A decision appears as one line with its
//
// id.
//   - fact: a note or fact that an agent remembered, with valid_from, valid_until, subject, and superseded_at if a
//
// later fact replaces
//
//	  it. Its Session has kind 'imported' and source 'notes': one for each agent in each project.
//	- decision: a decision with its current reasons, reviews and outcome. It has no position, and a decision has at
//
// most one such chunk
//
//	(the property decision is its uid); session is the session that recorded it, if known.
//
// at and ends_at are the times of the first and the last item, in UTC. agent is a display name. project is owner/repo
// if that is known, else the name of the folder. tokens counts the text in cl100k_base tokens, at most
// turns.MaxTokens. hash is the SHA-256 of text in hex. facets are tokens of search.Facet for kind, project, agent,
// session (its uid) and month (search.MonthFacet), used as filters. terms are additional search words: the day in
// common spellings, and words of the source. visibility is private, project or shared: that of the decision, or
// private for every other kind, which only the agent itself can read.
//
// A transaction that changes a session or a decision marks it Unremembered. A server turns marked nodes into chunks in
// the background (Store.Wake); a memory query does this first (Store.CatchUp). Locks ensure that exactly one process
// does it. Only the last chunk of a session can still change.
package memory
