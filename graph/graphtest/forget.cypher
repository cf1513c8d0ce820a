// Forgets the statements that ran, so that only those of one test are read.
CALL db.stats.stop('QUERIES') YIELD success AS stopped
CALL db.stats.clear('QUERIES') YIELD success AS cleared
CALL db.stats.collect('QUERIES') YIELD success AS collecting
RETURN stopped, cleared, collecting
