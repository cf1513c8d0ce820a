// Package federation asks many servers in parallel and merges their answers: decisions into one ranking, guardrails
// into one verdict, votes on an intent, and a consensus before actions with high stakes.
//
// Answers of peers are stored with what they belong to: (:PeerVerdict)-[:BESIDE]->(:Verdict) for a check, (:Voice
// {peer})-[:ON]->(:Intent) for an intent. A consensus is an intent with consensus_key, quorum, asked and
// consensus_state. Rules read it as action.consensus.
package federation
