package cypher

// Statements of the decisions room: bringing in records in bulk.
var (
	ImportKnown      = reads("decisions/import_known")
	ImportTargets    = reads("decisions/import_targets")
	ImportSupersedes = reads("decisions/import_supersedes")
	SupersedesLock   = writes("decisions/supersedes_lock")
	ImportLock       = writes("decisions/import_lock")
	ImportCreate     = writes("decisions/import_create")
	ImportUpdate     = writes("decisions/import_update")
	ImportLinks      = writes("decisions/import_links")
)
