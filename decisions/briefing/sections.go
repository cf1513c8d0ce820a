package briefing

import (
	"time"

	"nomograph/decisions/counters"
)

// Sections are the parts of a context. A part that was not requested is absent; one without content is empty.
type Sections struct {
	AgentProfile          *counters.AgentProfile                  `json:"agent_profile,omitempty"`
	RelevantDecisions     []Decision                              `json:"relevant_decisions,omitzero"`
	ActiveGuardrails      []Guardrail                             `json:"active_guardrails,omitzero" jsonschema:"active guardrails; breakers are separate"`
	CalibrationByCategory map[string]counters.CategoryCalibration `json:"calibration_by_category,omitzero"`
	ReadyQueue            []Action                                `json:"ready_queue,omitzero"`
	ConfirmedPatterns     []Pattern                               `json:"confirmed_patterns,omitzero"`
	Contradictions        []Contradiction                         `json:"contradictions,omitzero"`
	CircuitBreakers       []Breaker                               `json:"circuit_breakers,omitzero"`
	Wisdom                []Wisdom                                `json:"wisdom,omitzero"`
	Memories              []Memory                                `json:"memories,omitempty" jsonschema:"memories relevant to the task"`
}

// Decision is a found decision with its lessons, shortened.
type Decision struct {
	ID           string    `json:"id"`
	Title        string    `json:"title"`
	Category     string    `json:"category,omitempty"`
	Stakes       string    `json:"stakes,omitempty"`
	Confidence   *float64  `json:"confidence,omitempty"`
	Status       string    `json:"status,omitempty"`
	Outcome      string    `json:"outcome,omitempty"`
	Date         time.Time `json:"date"`
	Project      string    `json:"project,omitempty"`
	AgentID      string    `json:"agent_id,omitempty"`
	Pattern      string    `json:"pattern,omitempty"`
	Score        float64   `json:"score,omitempty"`
	SupersededBy []string  `json:"superseded_by,omitempty"`
	Reasons      []string  `json:"reasons,omitempty" jsonschema:"type: text"`
	ActualResult string    `json:"actual_result,omitempty"`
	Lessons      string    `json:"lessons,omitempty"`
}

// Memory is a part of an earlier session, shortened.
type Memory struct {
	SessionID string    `json:"session_id,omitempty"`
	At        time.Time `json:"at"`
	Text      string    `json:"text"`
	Now       []string  `json:"now,omitempty" jsonschema:"current state of mentioned decisions that failed or were superseded, and of denials that no longer hold"`
}

// Guardrail is an active rule.
type Guardrail struct {
	ID          string   `json:"id"`
	Action      string   `json:"action" jsonschema:"block, warn or shadow"`
	Description string   `json:"description,omitempty"`
	Scope       []string `json:"scope,omitempty" jsonschema:"projects (default all)"`
	AppliesWhen string   `json:"applies_when,omitempty"`
	Requires    string   `json:"requires,omitempty"`
	Pattern     string   `json:"pattern,omitempty" jsonschema:"Cypher that must return no rows"`
	Message     string   `json:"message,omitempty"`
	Broken      string   `json:"broken,omitempty" jsonschema:"reason why it cannot be evaluated; it then denies every action it applies to"`
}

// Action is an action item.
type Action struct {
	ID       string    `json:"id,omitempty"`
	Title    string    `json:"title,omitempty"`
	Reason   string    `json:"reason" jsonschema:"review_outcome (overdue), stale_pending or calibration_drift"`
	Priority string    `json:"priority"`
	Category string    `json:"category,omitempty"`
	Date     time.Time `json:"date,omitzero"`
	Detail   string    `json:"detail,omitempty"`
}

// Pattern is a confirmed pattern.
type Pattern struct {
	Pattern     string   `json:"pattern"`
	Count       int64    `json:"count" jsonschema:"number of decisions that follow it"`
	Reviewed    int64    `json:"reviewed"`
	MeanOutcome float64  `json:"mean_outcome"`
	Categories  []string `json:"categories,omitempty"`
	ExampleIDs  []string `json:"example_ids,omitempty"`
}

// Contradiction is a pair of contradicting decisions.
type Contradiction struct {
	Kind   string   `json:"kind"`
	IDs    []string `json:"ids"`
	Titles []string `json:"titles,omitempty"`
	Why    string   `json:"reason,omitempty"`
}

// Breaker is a circuit breaker with its state.
type Breaker struct {
	Scope     string    `json:"scope"`
	State     string    `json:"state" jsonschema:"closed, open, half_open or error (blocks until it is fixed)"`
	Action    string    `json:"action" jsonschema:"effect when not closed: block, warn or shadow"`
	Failures  int64     `json:"failures"`
	Threshold int64     `json:"threshold,omitempty"`
	Until     time.Time `json:"until,omitzero" jsonschema:"time of the next probe, if open"`
	ProbeID   string    `json:"probe_id,omitempty" jsonschema:"id of the probe decision, if half-open"`
	Error     string    `json:"error,omitempty"`
}

// Wisdom holds the lessons of a category.
type Wisdom struct {
	Category    string   `json:"category"`
	Decisions   int64    `json:"decisions"`
	SuccessRate *float64 `json:"success_rate,omitempty"`
	Principles  []string `json:"principles,omitempty"`
	FailsBy     string   `json:"common_failure_mode,omitempty"`
}
