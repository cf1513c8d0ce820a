package cypher

// Statements of graph: reading the schema and migrating it.
var (
	Probe                 = reads("graph/probe")
	MigrationLockCreate   = writes("graph/migration_lock_create")
	MigrationLockAcquire  = writes("graph/migration_lock_acquire")
	MigrationsApplied     = reads("graph/migrations_applied")
	MigrationRecord       = writes("graph/migration_record")
	TransactionsOfRequest = reads("graph/transactions_of_request")
	TransactionTerminate  = reads("graph/transaction_terminate")
	TransactionsOverdue   = reads("graph/transactions_overdue")
	Counts                = reads("graph/counts")
	Indexes               = reads("graph/indexes")
	IndexNames            = reads("graph/index_names")
	IndexDrop             = writes("graph/index_drop")
	PropertiesOfLabel     = reads("graph/properties_of_label")
	Settings              = reads("graph/settings")
	LatestBookmark        = reads("graph/latest_bookmark")
)
