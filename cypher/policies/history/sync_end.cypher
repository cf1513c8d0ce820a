// Stores that everything was compared with the recorded versions at $at.
MATCH (l:SYS_Lock {name: 'sync'})
SET l.at = $at
