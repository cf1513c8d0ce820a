package decisions

import (
	"encoding/json"
	"strings"
	"time"

	"nomograph/graph"
)

// StoredDeliberation is how a decision came about: what was known, and what was done and thought, in order. TotalDurationMS lasts
// from the first to the last, unless the caller told how long it took.
type StoredDeliberation struct {
	Inputs          []DeliberationInput `json:"inputs"`
	Steps           []StoredStep        `json:"steps"`
	TotalDurationMS int64               `json:"total_duration_ms"`
}

// StoredStep is one step, of the type analysis, constraint, empirical or reasoning, or of the one that the caller told.
type StoredStep struct {
	Step       int       `json:"step"`
	Thought    string    `json:"thought"`
	Type       string    `json:"type"`
	InputsUsed []string  `json:"inputs_used,omitempty"`
	Conclusion bool      `json:"conclusion,omitempty"`
	At         time.Time `json:"at,omitzero"`
	// Contexts are those that were given, as they were then.
	Contexts []StoredContext `json:"contexts,omitempty"`
}

// StoredContext is a context that was known.
type StoredContext struct {
	ContextID  string  `json:"context_id"`
	AtlasID    string  `json:"atlas_id"`
	Version    string  `json:"version"`
	MatchScore float64 `json:"match_score"`
}

// attachedEvent is an event that was attached.
type attachedEvent struct {
	Type    string
	At      time.Time
	Payload string
}

// typesOfSteps say what an event was worth to the decision; any other is reasoning.
var typesOfSteps = map[string]string{"query": "analysis", "lookup": "analysis", "check": "constraint", "stats": "empirical", "context.given": "analysis", "action.reported": "constraint"}

// said names the part of an event's payload that says what it was about.
var said = []string{"thought", "text", "query", "need", "description", "decision"}

// deliberationOf reads events, in order; imported is the JSON that an import keeps, since events cannot be made afterwards.
func deliberationOf(events []attachedEvent, imported string) *StoredDeliberation {
	d := StoredDeliberation{Inputs: []DeliberationInput{}, Steps: []StoredStep{}}
	if len(events) == 0 {
		var told Deliberation
		if imported == "" || json.Unmarshal([]byte(imported), &told) != nil {
			return nil
		}
		d.Inputs, d.TotalDurationMS = append(d.Inputs, told.Inputs...), told.TotalDurationMS
		for i, step := range told.Steps {
			d.Steps = append(d.Steps, StoredStep{Step: i + 1, Thought: step.Thought, Type: step.Type, InputsUsed: step.InputsUsed, Conclusion: step.Conclusion})
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
		_, _ = json.Unmarshal(raw, &payload), json.Unmarshal(raw, &texts) // a payload that is cut or not ours says less
		text := ""
		for _, name := range said {
			if text == "" {
				text = graph.Text(texts, name)
			}
		}
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
			text = given(text, payload.Contexts)
		case "action.reported":
			text = payload.Action + ": " + payload.Decision
		}
		d.Steps = append(d.Steps, StoredStep{len(d.Steps) + 1, text, kind, payload.InputsUsed, payload.Conclusion, e.At.UTC(), payload.Contexts})
	}
	return &d
}

// given says which contexts a need was given.
func given(need string, contexts []StoredContext) string {
	if len(contexts) == 0 {
		return "No context was found: " + need
	}
	ids := make([]string, len(contexts))
	for i, c := range contexts {
		ids[i] = c.ContextID
	}
	return "Was given " + strings.Join(ids, ", ") + ": " + need
}
