// Returns the payloads of the checks and reported actions that the chunks $uids describe, of chunks that the caller may see.
UNWIND $uids AS uid
MATCH (c:Chunk {uid: uid}) WHERE true /* visible: c:Chunk */
MATCH (e:TraceEvent {session: c.session}) WHERE c.first <= e.seq AND e.seq <= c.last AND e.type IN ['check', 'action.reported']
RETURN uid, collect(e.payload) AS payloads
