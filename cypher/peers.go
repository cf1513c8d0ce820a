package cypher

// Statements about other servers.
var (
	PeersKnown               = reads("agents/peers/peers_known")
	PeersSeen                = writes("agents/peers/peers_seen")
	PeerAdd                  = writes("agents/peers/peer_add")
	PeerRemove               = writes("agents/peers/peer_remove")
	PeerCard                 = writes("agents/peers/peer_card")
	PeerVerdictsStore        = writes("agents/federation/peer_verdicts_store")
	PeerVotesStore           = writes("agents/federation/peer_votes_store").notifies("Voice")
	ConsensusBegin           = writes("agents/federation/consensus_begin")
	ConsensusCount           = reads("agents/federation/consensus_count")
	ConsensusFinish          = writes("agents/federation/consensus_finish")
	PeerSubscribe            = writes("agents/exchange/peer_subscribe")
	PeerFollow               = writes("agents/exchange/peer_follow")
	DecisionsUnsent          = reads("agents/exchange/decisions_unsent")
	PushClaim                = writes("agents/exchange/push_claim")
	DecisionsSent            = writes("agents/exchange/decisions_sent")
	PeerDecisionsStore       = writes("agents/exchange/peer_decisions_store")
	PollClaim                = writes("agents/exchange/poll_claim")
	PeerDecisionsStorePolled = writes("agents/exchange/peer_decisions_store_polled")
)
