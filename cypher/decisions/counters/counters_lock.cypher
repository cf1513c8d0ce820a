// Locks the counters until the transaction ends, and returns the day.
MERGE (l:SYS_Lock {name: 'calibration'})
SET l.locked_by_nomograph = true
REMOVE l.locked_by_nomograph
RETURN toString(date({timezone: 'UTC'})) AS today
