// Notes that everything was compared with what was recorded, at $at.
MATCH (l:SYS_Lock {name: 'sync'})
SET l.at = $at
