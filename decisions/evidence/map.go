package evidence

import (
	"context"
	"math"
	"slices"
)

// Coverage counts the evidence of one class for controls and the gaps.
type Coverage struct {
	Total    int     `json:"total_events"`
	Mapped   int     `json:"mapped_events"`
	Unmapped int     `json:"unmapped_events"`
	Percent  float64 `json:"coverage_pct" jsonschema:"mapped of total, in percent"`
}

// Coverages holds both classes, which are never added up.
type Coverages struct {
	Observed Coverage `json:"observed"`
	Attested Coverage `json:"attested"`
}

// Control is a control of a framework, and the rule that maps evidence to it.
type Control struct {
	RuleID      string `json:"rule_id"`
	Framework   string `json:"framework"`
	Stage       string `json:"stage"`
	FunctionID  string `json:"function_id"`
	ControlName string `json:"control_name"`
	Description string `json:"description,omitempty"`
}

// Mapping is evidence for a control, or a gap.
type Mapping struct {
	Evidence
	PR any `json:"pr_number,omitempty"`
	Control
	Type   string `json:"type" jsonschema:"mapping, or INSUFFICIENT_EVIDENCE"`
	Reason string `json:"reason,omitempty" jsonschema:"missing evidence"`
}

// Evidence is a piece of evidence.
type Evidence struct {
	Seq       int64  `json:"seq"`
	EventType string `json:"event_type"`
	Class     string `json:"evidence_class"`
	At        string `json:"ts"`
}

// Controls maps evidence to controls.
type Controls struct {
	Coverage          Coverages  `json:"coverage"`
	Mappings          []Mapping  `json:"mappings"`
	Insufficient      []Mapping  `json:"insufficient_evidence"`
	InsufficientCount int        `json:"insufficient_evidence_count"`
	Unmapped          []Evidence `json:"unmapped"`
	AttestedOnly      []string   `json:"attested_only_controls" jsonschema:"controls with only attested evidence"`
}

// Map maps the evidence to the controls of SR 11-7 and the NIST AI RMF.
func (s *Store) Map(ctx context.Context) (Controls, error) {
	events, err := s.events(ctx)
	if err != nil {
		return Controls{}, err
	}
	return mapEvidence(events, controls()), nil
}

const insufficient = "INSUFFICIENT_EVIDENCE"

func mapEvidence(events []event, rules []control) Controls {
	out := Controls{}
	byOthers, byUs := map[string]bool{}, map[string]bool{}
	for _, e := range events {
		c := &out.Coverage.Observed
		if e.Class == Attested {
			c = &out.Coverage.Attested
		}
		c.Total++
		spoke := false
		for _, rule := range rules {
			if !rule.appliesTo(e) {
				continue
			}
			spoke = true
			m := Mapping{Evidence: e.Evidence, PR: e.Payload["pr_number"], Control: rule.Control, Type: "mapping"}
			if rule.Missing != "" {
				m.Type, m.Reason, m.Description = insufficient, rule.Missing, ""
				out.Insufficient = append(out.Insufficient, m)
				continue
			}
			out.Mappings = append(out.Mappings, m)
			if key := rule.Framework + " " + rule.FunctionID; e.Class == Observed {
				byOthers[key] = true
			} else {
				byUs[key] = true
			}
		}
		if spoke {
			c.Mapped++
		} else {
			c.Unmapped++
			out.Unmapped = append(out.Unmapped, e.Evidence)
		}
	}
	for _, c := range []*Coverage{&out.Coverage.Observed, &out.Coverage.Attested} {
		if c.Total > 0 {
			c.Percent = math.Round(float64(c.Mapped)/float64(c.Total)*1000) / 10
		}
	}
	for key := range byUs {
		if !byOthers[key] {
			out.AttestedOnly = append(out.AttestedOnly, key)
		}
	}
	slices.Sort(out.AttestedOnly)
	out.InsufficientCount = len(out.Insufficient)
	return out
}
