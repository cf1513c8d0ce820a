// Package peers knows other servers: those of the file of agents, and those that were added to the graph as (:Peer {uid, url, name, card,
// seen_at, down_until}), one for each address. A token is never among it.
//
// Store.Chosen gives the peers that somebody means, Each asks them at the same time and notes who answered. That one did not answer is
// noted in the graph, so that no other process waits for it before its time is over.
package peers
