package briefing

import (
	"maps"
	"slices"

	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
	"nomograph/internal/tokencount"
	"nomograph/policies/circuit"
)

// The sections of a context by field, in the order of the text.
const (
	inProfile        = "agent_profile"
	inGuardrails     = "active_guardrails"
	inBreakers       = "circuit_breakers"
	inCalibration    = "calibration_by_category"
	inReady          = "ready_queue"
	inPatterns       = "confirmed_patterns"
	inContradictions = "contradictions"
	inWisdom         = "wisdom"
	inDecisions      = "relevant_decisions"
	inMemories       = "memories"
	inProtocol       = "protocol"
	inNotes          = "notes"
)

// pieces returns the pieces of the sections, each with shorter forms, in the order of the text. In Markdown, an empty
// section says so, and closed breakers are omitted.
func (c Sections) pieces(markdown bool) []*piece {
	var all []*piece
	if p := c.AgentProfile; p != nil {
		all = append(all, &piece{Section: inProfile, Forms: append(whole(rankProfile, profileLines{*p}),
			whole(tokencount.NeverRemoved, profileLines{*p}.short())...)})
	}
	empty := func(text string) string {
		if !markdown {
			return ""
		}
		return text
	}
	all = addPieces(all, inGuardrails, c.ActiveGuardrails, empty("No active guardrails."),
		func(_ int, g Guardrail) []form {
			until := rankBlocking
			if g.Action != actionBlocks {
				until = rankAdvice
			}
			return slices.Concat(whole(rankGuardrailDetail, g), whole(rankGuardrailText, g.withoutConditions()),
				whole(until, Guardrail{ID: g.ID, Action: g.Action}))
		})
	all = addPieces(all, inBreakers, c.CircuitBreakers, empty("None is open."), func(_ int, b Breaker) []form {
		switch {
		case b.State != circuit.Closed:
			return whole(rankOpen, b)
		case markdown:
			return nil
		}
		return whole(rankClosed, b)
	})
	all = addPieces(all, inCalibration, c.rows(), empty("No decision has been counted yet."),
		singleForm[categoryRow](rankCalibration))
	all = addPieces(all, inReady, c.ReadyQueue, empty("Nothing is due."), func(_ int, a Action) []form {
		if a.Reason == insights.ReviewOverdue {
			return whole(rankOverdue, a)
		}
		return whole(rankActions, a)
	})
	all = addPieces(all, inPatterns, c.ConfirmedPatterns,
		empty("None: a pattern needs two reviewed decisions with a mean outcome of 0.6."),
		singleForm[Pattern](rankPatterns))
	all = addPieces(all, inContradictions, c.Contradictions, empty("None found."), func(i int, x Contradiction) []form {
		if i < firstEntries {
			return whole(rankFirstConflicts, x)
		}
		return whole(rankContradictions, x)
	})
	all = addPieces(all, inWisdom, c.Wisdom, empty("None yet."), singleForm[Wisdom](rankWisdom))
	all = addPieces(all, inMemories, c.Memories, "", singleForm[Memory](rankMemories))
	return addPieces(all, inDecisions, c.RelevantDecisions, empty("None found."), func(i int, d Decision) []form {
		if i < firstEntries {
			return append(whole(rankFirstDetail, d), whole(rankFirstDecisions, d.short())...)
		}
		return append(whole(rankDecisionDetail, d), whole(rankDecisions, d.short())...)
	})
}

// addPieces adds a piece for each item with forms. Without items, it adds the section's note about being empty, if the
// section has such a note and was requested.
func addPieces[T content](all []*piece, section string, list []T, empty string,
	forms func(i int, one T) []form) []*piece {
	before := len(all)
	for i, one := range list {
		if of := forms(i, one); of != nil {
			all = append(all, &piece{Section: section, Forms: of})
		}
	}
	if len(all) == before && list != nil && empty != "" {
		all = append(all, &piece{Section: section, Empty: true, Forms: whole(rankEmpty, verbatim(empty))})
	}
	return all
}

// whole returns the form of a piece until it is shortened or dropped.
func whole(until tokencount.Rank, value content) []form { return []form{{Until: until, Value: value}} }

// singleForm returns the forms of a piece that is either complete or dropped.
func singleForm[T content](until tokencount.Rank) func(int, T) []form {
	return func(_ int, one T) []form { return whole(until, one) }
}

// rows returns the categories as rows; nil if absent.
func (c Sections) rows() []categoryRow {
	if c.CalibrationByCategory == nil {
		return nil
	}
	rows := []categoryRow{}
	for _, category := range slices.Sorted(maps.Keys(c.CalibrationByCategory)) {
		rows = append(rows, categoryRow{category, c.CalibrationByCategory[category]})
	}
	return rows
}

// remaining returns the sections with the remaining pieces. Absent sections stay absent.
func (c Sections) remaining(pieces []*piece) Sections {
	kept := Sections{RelevantDecisions: left(pieces, inDecisions, c.RelevantDecisions),
		ActiveGuardrails:  left(pieces, inGuardrails, c.ActiveGuardrails),
		ReadyQueue:        left(pieces, inReady, c.ReadyQueue),
		ConfirmedPatterns: left(pieces, inPatterns, c.ConfirmedPatterns),
		Contradictions:    left(pieces, inContradictions, c.Contradictions),
		CircuitBreakers:   left(pieces, inBreakers, c.CircuitBreakers),
		Wisdom:            left(pieces, inWisdom, c.Wisdom), Memories: left(pieces, inMemories, c.Memories)}
	if c.CalibrationByCategory != nil {
		kept.CalibrationByCategory = map[string]counters.CategoryCalibration{}
	}
	for _, row := range left(pieces, inCalibration, c.rows()) {
		kept.CalibrationByCategory[row.category] = row.CategoryCalibration
	}
	for _, profile := range left(pieces, inProfile, []profileLines{}) {
		kept.AgentProfile = &profile.AgentProfile
	}
	return kept
}

// left returns what remains of the items of a section; nil if the section is absent.
func left[T content](pieces []*piece, section string, items []T) []T {
	if items == nil {
		return nil
	}
	remaining := []T{}
	for _, p := range pieces {
		if p.Section == section && !p.LeftOut() && !p.Empty {
			remaining = append(remaining, p.Value().(T))
		}
	}
	return remaining
}
