// Package federation asks many servers in parallel and merges their answers: decisions into one ranking, guardrails
// into one verdict, votes on an intent, and a consensus before actions with high stakes.
//
// Answers of peers are stored with the check or intent that they answer: (:PeerVerdict)-[:BESIDE]->(:Verdict) and
// (:Voice {peer})-[:ON]->(:Intent). A consensus is an intent with consensus_key, quorum, asked and
// consensus_state. Rules read it as action.consensus.
package federation
