package decisions

import (
	"encoding/json"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/lists"
)

// StoredDeliberation is how a decision was made: inputs and steps in order. TotalDurationMS is the time from the first
// to the last step, unless the caller stated it.
type StoredDeliberation struct {
	Inputs          []DeliberationInput `json:"inputs"`
	Steps           []StoredStep        `json:"steps"`
	TotalDurationMS int64               `json:"total_duration_ms"`
}

// StoredStep is one step, of the type analysis, constraint, empirical or reasoning, or of the caller's type.
type StoredStep struct {
	DeliberationStep
	At time.Time `json:"at,omitzero"`
	// Contexts are the delivered contexts, as they were then.
	Contexts []StoredContext `json:"contexts,omitempty"`
}

// StoredContext is a delivered context.
type StoredContext struct {
	ContextID  string  `json:"context_id"`
	AtlasID    string  `json:"atlas_id"`
	Version    string  `json:"version"`
	MatchScore float64 `json:"match_score"`
}

// attachedEvent is an event that is attached to a decision.
type attachedEvent struct {
	Type    string
	At      time.Time
	Payload string
}

// typesOfSteps maps event types to step types; any other is reasoning.
var typesOfSteps = map[string]string{"query": "analysis", "lookup": "analysis", "check": "constraint",
	"stats": "empirical", "context.given": "analysis", "action.reported": "constraint"}

// textFields are the payload fields that describe an event, in order of preference.
var textFields = []string{"thought", "text", "query", "need", "description", "decision"}

// textOf describes an event.
func textOf(payload map[string]any) string {
	for _, name := range textFields {
		if text := graph.Text(payload, name); text != "" {
			return text
		}
	}
	return ""
}

// deliberationOf converts events, in order; imported is the JSON of an import, which cannot create events.
func deliberationOf(events []attachedEvent, imported string) *StoredDeliberation {
	var d StoredDeliberation
	if len(events) == 0 {
		var shown Deliberation
		if imported == "" || json.Unmarshal([]byte(imported), &shown) != nil {
			return nil
		}
		d.Inputs, d.TotalDurationMS = shown.Inputs, shown.TotalDurationMS
		for i, step := range shown.Steps {
			step.Step = int64(i + 1)
			d.Steps = append(d.Steps, StoredStep{DeliberationStep: step})
		}
		return &d
	}
	d.TotalDurationMS = events[len(events)-1].At.Sub(events[0].At).Milliseconds()
	for _, e := range events {
		var payload struct {
			ID, Source, Type string
			InputsUsed       []string `json:"inputs_used"`
			Conclusion       bool
			TotalDurationMS  int64 `json:"total_duration_ms"`
			Contexts         []StoredContext
			Action, Decision string
		}
		var texts map[string]any
		raw := []byte(e.Payload)
		_, _ = json.Unmarshal(raw, &payload), json.Unmarshal(raw,
			&texts) // a truncated or foreign payload has fewer fields
		text := textOf(texts)
		if payload.TotalDurationMS > 0 {
			d.TotalDurationMS = payload.TotalDurationMS
		}
		if e.Type == "input" {
			d.Inputs = append(d.Inputs, DeliberationInput{payload.ID, text, payload.Source})
			continue
		}
		kind := typesOfSteps[e.Type]
		if kind == "" {
			kind = "reasoning"
			if e.Type == "step" && payload.Type != "" {
				kind = payload.Type
			}
		}
		switch e.Type {
		case "context.given":
			text = contextsGiven(text, payload.Contexts)
		case "action.reported":
			text = payload.Action + ": " + payload.Decision
		}
		d.Steps = append(d.Steps, StoredStep{DeliberationStep{int64(len(d.Steps) + 1), text, payload.InputsUsed, kind,
			payload.Conclusion}, e.At.UTC(), payload.Contexts})
	}
	return &d
}

// contextsGiven describes which contexts were delivered for a need.
func contextsGiven(need string, contexts []StoredContext) string {
	if len(contexts) == 0 {
		return "No context was found: " + need
	}
	ids := lists.Map(contexts, func(c StoredContext) string { return c.ContextID })
	return "Was given " + strings.Join(ids, ", ") + ": " + need
}
