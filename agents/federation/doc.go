// Package federation asks many servers at once and gives one answer: decisions in one ranking, guardrails in one verdict, voices on an
// intent, and a consensus before much is at stake.
//
// What others say is kept where it matters: (:PeerVerdict)-[:BESIDE]->(:Verdict) of a check, (:Voice {peer})-[:ON]->(:Intent) of an intent.
// A consensus is an intent with consensus_key, quorum, asked and consensus_state, which rules see as action.consensus.
package federation
