// Package peers manages other servers: those of the agents file, and those that were added to the graph as (:Peer {uid,
// url, name, card, seen_at, down_until}), one for each address. Tokens are never stored there.
//
// Store.Select returns the peers that a request names. Each asks them in parallel and records which of them answered. A
// peer that did not answer is marked in the graph until its timeout is over, so that other processes skip it.
package peers
