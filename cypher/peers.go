package cypher

// Statements about other servers.
var (
	PeersKnown         = reads("agents/peers/peers_known")
	PeersSeen          = writes("agents/peers/peers_seen")
	PeerAdd            = writes("agents/peers/peer_add")
	PeerRemove         = writes("agents/peers/peer_remove")
	PeerCard           = writes("agents/peers/peer_card")
	PeerVerdictsKeep   = writes("agents/federation/peer_verdicts_keep")
	PeerVoicesKeep     = writes("agents/federation/peer_voices_keep").notifies("Voice")
	ConsensusBegin     = writes("agents/federation/consensus_begin")
	ConsensusCount     = reads("agents/federation/consensus_count")
	ConsensusSettle    = writes("agents/federation/consensus_settle")
	PeerSubscribe      = writes("agents/exchange/peer_subscribe")
	PeerFollow         = writes("agents/exchange/peer_follow")
	DecisionsUnsent    = reads("agents/exchange/decisions_unsent")
	PushClaim          = writes("agents/exchange/push_claim")
	DecisionsSent      = writes("agents/exchange/decisions_sent")
	PeerDecisionsKeep  = writes("agents/exchange/peer_decisions_keep")
	PollClaim          = writes("agents/exchange/poll_claim")
	PeerDecisionsFound = writes("agents/exchange/peer_decisions_found")
)
