package cypher

// Statements about other servers.
var (
	PeersKnown = reads("agents/peers/peers_known")
	PeersSeen  = writes("agents/peers/peers_seen")
	PeerAdd    = writes("agents/peers/peer_add")
	PeerRemove = writes("agents/peers/peer_remove")
	PeerCard   = writes("agents/peers/peer_card")
)
