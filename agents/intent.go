package agents

import (
	"time"

	"nomograph/graph"
)

// Intent is an action that an agent announced.
type Intent struct {
	ID            string    `json:"id" mapstructure:"uid"`
	CorrelationID string    `json:"correlation_id" jsonschema:"idempotency key chosen by the agent"`
	Intent        string    `json:"intent"`
	Context       string    `json:"context,omitempty"`
	Category      string    `json:"category,omitempty"`
	Stakes        string    `json:"stakes"`
	Confidence    *float64  `json:"confidence,omitempty"`
	Project       string    `json:"project,omitempty"`
	AgentID       string    `json:"agent_id" mapstructure:"agent" jsonschema:"announcing agent"`
	AgentURL      string    `json:"agent_url,omitempty"`
	At            time.Time `json:"at"`
	VerdictID     string    `json:"verdict_id,omitempty" mapstructure:"verdict" jsonschema:"verdict of the local guardrails"`
	Allowed       *bool     `json:"allowed,omitempty" jsonschema:"result of the local guardrails; absent if they were not asked"`
}

// IntentOf decodes the properties of an intent.
func IntentOf(p map[string]any) Intent {
	var i Intent
	_ = graph.Decode(p, &i) // a property of a foreign type leaves its field empty
	return i
}

// Vote is the vote of one agent, or of one server's guardrails, on an intent.
type Vote struct {
	ID        string    `json:"id" mapstructure:"uid"`
	AgentID   string    `json:"agent_id" mapstructure:"agent" jsonschema:"voting agent"`
	Allowed   bool      `json:"allowed" jsonschema:"true: agreement; false: objection"`
	Reasons   []string  `json:"reasons"`
	VerdictID string    `json:"verdict_id,omitempty" mapstructure:"verdict"`
	Auto      bool      `json:"auto,omitempty" jsonschema:"given by guardrails automatically"`
	At        time.Time `json:"at"`
}

// VoteOf decodes the properties of a vote.
func VoteOf(p map[string]any) Vote {
	var v Vote
	_ = graph.Decode(p, &v) // a property of a foreign type leaves its field empty
	return v
}
