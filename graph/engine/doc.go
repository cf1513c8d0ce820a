// Package engine runs the private Neo4j Community that Nomograph starts if no other database is configured.
//
// All processes of a user share one engine. Each holds a Lease, which is a shared lock on a file. The operating system
// releases it when the process is killed:
//
//	lease, err := engine.Acquire(ctx, engine.Options{})
//	if err != nil {
//		return err // an *apperr.Error: no Java, a port in use, a folder that cannot be written, ...
//	}
//	defer lease.Release()
//	endpoint := lease.Endpoint() // the address and the password
//
// A supervisor, a process in its own session that outlives the client that started it, provisions Neo4j, starts it,
// restarts it after a crash, and stops it some time after the last lease was released.
//
// Three locks in Options.Dir coordinate the processes:
//
//	leases.lock       shared by every client; exclusive for a supervisor that has begun to stop for lack of clients
//	supervisor.lock   exclusive for a supervisor's whole life, and for a backup or a restore
//	maintenance.lock  exclusive for a backup or a restore; shared, briefly, by a supervisor that is about to begin
//
// state.json is only a description. Whether an engine runs is decided by supervisor.lock, which the operating system
// releases when its holder ends. A file left over from a crash or a reboot therefore misleads nobody.
package engine
