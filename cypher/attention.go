package cypher

// Statements of the decisions room: what is due, what contradicts, what much depends on.
var (
	Overdue          = reads("attention/overdue")
	Stale            = reads("attention/stale")
	Contradicted     = reads("attention/contradicted")
	Alike            = reads("attention/alike")
	Today            = reads("attention/today")
	Wisdom           = reads("attention/wisdom")
	Lessons          = reads("attention/lessons")
	Compacted        = reads("attention/compacted")
	CompactionLevels = reads("attention/compaction_levels")
	PreservedMark    = writes("attention/preserved_mark")
	Attributable     = reads("attention/attributable")
	Salient          = reads("attention/salient")
)
