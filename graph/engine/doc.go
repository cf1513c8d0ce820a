// Package engine is the private Neo4j Community that Nomograph starts when nobody names another database.
//
// All processes of a user share one engine. Each holds a Lease, which is a shared lock on one file, so that a process
// that is killed frees its own:
//
//	lease, err := engine.Acquire(ctx, engine.Options{})
//	if err != nil {
//		return err // a *fault.Error: no Java, a taken port, a folder that cannot be written, ...
//	}
//	defer lease.Release()
//	endpoint := lease.Endpoint() // where to connect, and with which password
//
// Behind it stands one supervisor, a process in a session of its own that outlives the client that started it. It
// provisions Neo4j, starts it, starts it again when it dies, and stops it once the last lease has been gone for a while.
//
// Three locks in Options.Dir carry the whole agreement:
//
//	leases.lock       shared by every client; exclusive for a supervisor that has begun to stop for want of clients
//	supervisor.lock   exclusive for a supervisor's whole life, and for a backup or a restore
//	maintenance.lock  exclusive for a backup or a restore; shared, for a moment, by a supervisor that wants to begin
//
// state.json only describes. Whether an engine runs is decided by supervisor.lock, which the operating system frees
// when its holder dies, so that a file left over from before a crash or a reboot misleads nobody.
package engine
