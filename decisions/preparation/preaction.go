package preparation

import (
	"time"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/policies/check"
)

// PreActionRequest describes an action, and asks to record the decision to take it.
type PreActionRequest struct {
	Action  IntendedAction `json:"action" jsonschema:"planned action"`
	Options *Options       `json:"options,omitempty" jsonschema:"further options"`
	decisions.ExtraFields
}

// IntendedAction is the planned action.
type IntendedAction struct {
	Description string           `json:"description" jsonschema:"text of the decision" rule:"minLength=1,maxLength=10000"`
	Category    string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling or security; needed to record" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0; needed to record" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"facts for rules"`
	Name        string           `json:"name,omitempty" jsonschema:"name for rules, such as git.push" rule:"maxLength=200"`
	Params      graph.Parameters `json:"params,omitempty" jsonschema:"parameters of the action"`
}

// Options say what pre_action does besides the check.
type Options struct {
	AutoRecord      *bool `json:"auto_record,omitempty" jsonschema:"record if allowed" rule:"default=true"`
	QueryLimit      int   `json:"query_limit,omitempty" jsonschema:"precedents" rule:"minimum=1,maximum=20,default=5"`
	IncludePatterns *bool `json:"include_patterns,omitempty" rule:"default=true"`
}

// PreActionResult is the result of PreAction: whether the action is allowed, and what is known about similar ones.
type PreActionResult struct {
	Allowed      bool              `json:"allowed"`
	BlockReasons []string          `json:"block_reasons,omitempty"`
	Guardrails   []check.Violation `json:"guardrail_results" jsonschema:"violations: blocking first, then warnings"`
	Evaluated    int               `json:"evaluated" jsonschema:"number of evaluated rules"`
	VerdictID    string            `json:"verdict_id"`

	Recorded           bool               `json:"recorded"`
	DecisionID         *string            `json:"decision_id" jsonschema:"null if not recorded; see not_recorded"`
	NotRecorded        string             `json:"not_recorded,omitempty"`
	URI                string             `json:"uri,omitempty"`
	Timestamp          time.Time          `json:"timestamp,omitzero"`
	Repeated           bool               `json:"repeated,omitempty" jsonschema:"true if request_key recorded it before"`
	Forced             string             `json:"forced,omitempty"`
	Quality            *decisions.Quality `json:"quality,omitempty"`
	DeliberationInputs int                `json:"deliberation_inputs_count,omitempty"`
	RelatedCount       int                `json:"related_count,omitempty"`
	GraphEdgesCreated  int                `json:"graph_edges_created,omitempty"`

	RelevantDecisions []precedents.Match          `json:"relevant_decisions"`
	RetrievalMode     string                      `json:"retrieval_mode"`
	Calibration       *CalibrationContext         `json:"calibration_context"`
	Patterns          []counters.ConfirmedPattern `json:"patterns_summary,omitempty" jsonschema:"summary of the relevant decisions"`
	QueryTimeMS       float64                     `json:"query_time_ms"`
	Notes             []string                    `json:"notes,omitempty"`
}

// Denied reports whether the action must not be taken. A caller who forced the recording is not stopped.
func (p PreActionResult) Denied() bool { return !p.Allowed && (!p.Recorded || p.Forced == "") }
