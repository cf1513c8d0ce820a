package agents

import (
	"time"

	"nomograph/graph"
)

// Intent is an action that an agent announced.
type Intent struct {
	ID            string    `json:"id"`
	CorrelationID string    `json:"correlation_id" jsonschema:"idempotency key chosen by the agent"`
	Intent        string    `json:"intent"`
	Context       string    `json:"context,omitempty"`
	Category      string    `json:"category,omitempty"`
	Stakes        string    `json:"stakes"`
	Confidence    *float64  `json:"confidence,omitempty"`
	Project       string    `json:"project,omitempty"`
	AgentID       string    `json:"agent_id" jsonschema:"announcing agent"`
	AgentURL      string    `json:"agent_url,omitempty"`
	At            time.Time `json:"at"`
	VerdictID     string    `json:"verdict_id,omitempty" jsonschema:"verdict of the local guardrails"`
	Allowed       *bool     `json:"allowed,omitempty" jsonschema:"result of the local guardrails; absent if they were not asked"`
}

// IntentOf decodes the properties of an intent.
func IntentOf(p map[string]any) Intent {
	i := Intent{ID: graph.Text(p, "uid"), CorrelationID: graph.Text(p, "correlation_id"), Intent: graph.Text(p, "intent"), Context: graph.Text(p, "context"), Category: graph.Text(p, "category"),
		Stakes: graph.Text(p, "stakes"), Project: graph.Text(p, "project"), AgentID: graph.Text(p, "agent"), AgentURL: graph.Text(p, "agent_url"), At: graph.Time(p, "at").UTC(), VerdictID: graph.Text(p, "verdict")}
	if confidence, ok := p["confidence"].(float64); ok {
		i.Confidence = &confidence
	}
	if allowed, known := p["allowed"].(bool); known {
		i.Allowed = &allowed
	}
	return i
}

// Vote is the vote of one agent, or of one server's guardrails, on an intent.
type Vote struct {
	ID        string    `json:"id"`
	AgentID   string    `json:"agent_id" jsonschema:"voting agent"`
	Allowed   bool      `json:"allowed" jsonschema:"true: agreement; false: objection"`
	Reasons   []string  `json:"reasons"`
	VerdictID string    `json:"verdict_id,omitempty"`
	Auto      bool      `json:"auto,omitempty" jsonschema:"given by guardrails automatically"`
	At        time.Time `json:"at"`
}

// VoteOf decodes the properties of a vote.
func VoteOf(p map[string]any) Vote {
	v := Vote{ID: graph.Text(p, "uid"), AgentID: graph.Text(p, "agent"), Reasons: graph.Texts(p["reasons"]), VerdictID: graph.Text(p, "verdict"), At: graph.Time(p, "at").UTC()}
	v.Allowed, _ = p["allowed"].(bool)
	v.Auto, _ = p["auto"].(bool)
	if v.Reasons == nil {
		v.Reasons = []string{}
	}
	return v
}
