// Other servers are found by their address, what they say by its id, their decisions by what they call them, a consensus by what it is about, and decisions by when they last changed.
CREATE CONSTRAINT peer_url IF NOT EXISTS FOR (p:Peer) REQUIRE p.url IS UNIQUE;
CREATE CONSTRAINT peer_verdict_uid IF NOT EXISTS FOR (v:PeerVerdict) REQUIRE v.uid IS UNIQUE;
CREATE CONSTRAINT peer_decision_uid IF NOT EXISTS FOR (d:PeerDecision) REQUIRE d.uid IS UNIQUE;
CREATE CONSTRAINT peer_decision_of IF NOT EXISTS FOR (d:PeerDecision) REQUIRE (d.peer, d.external_id) IS UNIQUE;
CREATE INDEX intent_consensus IF NOT EXISTS FOR (i:Intent) ON (i.consensus_key);
CREATE INDEX decision_updated IF NOT EXISTS FOR (d:Decision) ON (d.updated_at, d.uid);
