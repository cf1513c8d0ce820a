package briefing

import (
	"nomograph/internal/render"
	"nomograph/internal/tokencount"
)

// Order in which content is dropped: first what an agent does not need or can request later, last what prevents
// failures.
const (
	rankEmpty tokencount.Rank = iota // notes about empty sections
	rankWisdom
	rankPatterns
	rankClosed         // closed circuit breakers
	rankContradictions // contradictions after the first three
	rankMemories
	rankGuardrailDetail // conditions of guardrails
	rankDecisionDetail  // reasons and lessons, after the first three decisions
	rankDecisions       // decisions after the first three
	rankCalibration
	rankActions // action items that are not overdue
	rankProtocol
	rankFirstConflicts // the first three contradictions
	rankFirstDetail    // reasons and lessons of the first three decisions
	rankGuardrailText  // texts of guardrails
	rankFirstDecisions
	rankAdvice // guardrails that warn or are in shadow mode
	rankNotes
	rankOverdue  // overdue reviews
	rankOpen     // open circuit breakers
	rankBlocking // names of blocking guardrails
	rankProfile
)

// firstEntries is the number of first decisions and contradictions.
const firstEntries = 3

type piece = tokencount.Piece[content]

type form = tokencount.Form[content]

// content is a part of the answer: as JSON, or as lines of Markdown.
type content interface{ markdown() string }

// inJSON encodes a value as in the answer.
func inJSON(value any) string {
	text, err := render.JSON(value)
	if err != nil { // cannot happen: types of this package
		panic(err)
	}
	return string(text)
}
