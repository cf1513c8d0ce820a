// Package exchange keeps servers told of each other's shared decisions and how they turned out: what is shared here is pushed to who
// subscribed, and what others push, or answer where they are polled, is kept as (:PeerDecision {uid, peer, external_id, title, category, stakes, confidence, outcome}), made
// by the agent peer:NAME, under which alone it counts in calibration.
//
// Delivery is at least once: what was sent is noted as (:Decision)-[:SENT_TO {at}]->(:Peer) after it was taken, and a peer tells what it has
// already by its own server's address, the decision's id and the time of the change by the sender's clock, which no other clock is compared with.
package exchange
