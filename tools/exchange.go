package tools

import "nomograph/agents/exchange"

var exchangeOperations = inToolset("agents",
	define(Operation{
		Name:       "follow_agent",
		Title:      "Follow an agent",
		Use:        "Follow another server's shared decisions and outcomes. They count in calibration under a separate agent name.",
		Permission: Admin,
		Hints:      reachingOut,
		Command:    "agent follow AGENT",
		REST:       "POST /v1/agents/follow",
	}, method((*exchange.Store).Follow)),
	define(Operation{
		Name:       "subscribe_agent",
		Title:      "Subscribe",
		Use:        "Subscribe to decisions shared with you on this server. They are sent to the address registered here for your name.",
		Permission: Announce,
		Scope:      Filtered,
		Hints:      reachingOut,
		Command:    "agent subscribe AGENT_ID",
		REST:       "POST /v1/agents/subscriptions",
		CSTP:       "cstp.subscribe",
	}, method((*exchange.Store).Subscribe)),
	define(Operation{
		Name:       "receive_decisions",
		Title:      "Receive decisions",
		Use:        "Receive decisions that a followed server shares. Sending the same decision twice changes nothing.",
		Permission: Announce,
		Ours:       "counts",
		Scope:      AllProjects,
		Hints:      repeatable,
		Command:    "agent receive",
		REST:       "POST /v1/agents/decisions",
		CSTP:       "cstp.receiveDecisions",
	}, method((*exchange.Store).Receive)),
)
