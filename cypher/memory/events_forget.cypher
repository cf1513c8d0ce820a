// Deletes the content of the events in $ranges [{session, first, last}] and marks them as forgotten.
UNWIND $ranges AS row
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = row.session AND e.seq >= row.first AND e.seq <= row.last AND e.type <> 'forgotten' AND e.payload IS NOT NULL
SET e.forgotten_at = datetime(), e.forgotten_by = $by
REMOVE e.payload
RETURN count(e) AS events
