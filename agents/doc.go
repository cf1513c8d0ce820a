// Package agents is the ground of what agents of other servers have to do with this one: what leaves of a decision, what guardrails
// say to somebody else's agent, intents that agents announce before they act, and the voices on them.
//
// In the graph an intent is (:Intent {uid, correlation_id, agent, agent_key, intent, context, category, stakes, confidence, project,
// facts, at})-[:ANNOUNCED_BY]->(:Agent), one for an agent_key and correlation_id; whoever says something to it leaves
// (:Voice {uid, agent, agent_key, allowed, reasons, verdict, auto, at})-[:ON]->(:Intent). Voices are never changed: of an agent's the
// newest counts. Both are events of the feed, of the types intent.announced and intent.answered.
//
// Leaving is the one function that makes what other servers are told of a decision, a Shared; who is told of which is decided by
// AudienceOf, in the statement. Store.Search gives what is shared, Store.Ask a Judgment, Store.Announce keeps and answers an intent,
// Store.Answer adds a Voice, Store.Intents and Store.Intent read. The types are those that a client of another server decodes its
// answers into; at /cstp their names are in camelCase.
package agents
