// Package agents holds the core types of the work with other servers' agents: shared decisions, guardrail checks for
// remote agents, intents that agents announce before they act, and votes on intents.
//
// An intent is (:Intent {uid, correlation_id, agent, agent_key, intent, context, category, stakes, confidence, project,
// facts, at})-[:ANNOUNCED_BY]->(:Agent). The pair (agent_key, correlation_id) is unique. A vote is (:Voice {uid, agent,
// agent_key, allowed, reasons, verdict, auto, at})-[:ON]->(:Intent). Votes are never changed; the newest vote of an
// agent counts. Both are events, of the types intent.announced and intent.answered.
//
// SharedView returns a Shared, which is all that other servers learn of a decision. Statements filter by the Audience
// of the caller. Store.Search returns shared decisions, and Store.Ask returns a Verdict. Store.Announce stores an
// intent and answers it, Store.Answer adds a vote, and Store.Intents and Store.Intent read. Clients of other servers
// decode answers into the same types; at /cstp their field names are in camelCase.
package agents
