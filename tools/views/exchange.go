package views

import (
	"fmt"

	"nomograph/agents/exchange"
)

// exchangeSubscribeResult formats the result of a subscription.
func exchangeSubscribeResult(s exchange.SubscribeResult) string {
	if !s.Subscribed {
		return fmt.Sprintf("no longer sending to %s at %s\n", s.Agent, s.URL)
	}
	return fmt.Sprintf("sending shared decisions to %s at %s\n", s.Agent, s.URL)
}

// exchangeFollowResult formats the result of following an agent.
func exchangeFollowResult(f exchange.FollowResult) string {
	if !f.Following {
		return fmt.Sprintf("no longer following %s\n", f.Agent)
	}
	return fmt.Sprintf("following %s; its outcomes count for the agent %s\n", f.Agent, exchange.AgentOf(f.Agent))
}
