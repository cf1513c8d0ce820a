package views

import (
	"fmt"

	"nomograph/agents/exchange"
)

// exchangeSubscribeResult formats the result of a subscription.
func exchangeSubscribeResult(s exchange.SubscribeResult) string {
	if !s.Subscribed {
		return fmt.Sprintf("%s at %s is sent nothing more\n", s.Agent, s.URL)
	}
	return fmt.Sprintf("%s at %s is sent what is shared with it\n", s.Agent, s.URL)
}

// exchangeFollowResult formats the result of following an agent.
func exchangeFollowResult(f exchange.FollowResult) string {
	if !f.Following {
		return fmt.Sprintf("%s sends nothing more, and nothing more is taken from it\n", f.Agent)
	}
	return fmt.Sprintf("%s sends what is shared there; its outcomes count under the agent %s\n", f.Agent, exchange.AgentOf(f.Agent))
}
