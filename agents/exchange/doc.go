// Package exchange synchronizes shared decisions and their outcomes between servers. It pushes local decisions to
// subscribed peers. It stores what peers push, or return when they are polled, as (:PeerDecision {uid, peer,
// external_id, title, category, stakes, confidence, outcome}) of the agent peer:NAME. Calibration counts these
// decisions only under that agent.
//
// Delivery is at least once: (:Decision)-[:SENT_TO {at}]->(:Peer) is written after the peer accepted. A receiver
// detects duplicates by the sender's address, the decision's id and the time of the change on the sender's clock, which
// is never compared with another clock.
package exchange
