package cypher

// Statements of limits.
var (
	LimitsLock = writes("limits/limits_lock")
	LimitsUsed = reads("limits/limits_used").ofLeader()
)
