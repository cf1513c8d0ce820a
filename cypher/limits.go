package cypher

// Statements of limits.
var LimitsHold = writes("limits/limits_hold")
