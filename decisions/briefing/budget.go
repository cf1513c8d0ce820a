package briefing

import (
	"nomograph/internal/render"
	"nomograph/internal/tokencount"
)

// What gives way first is what an agent can do without, or can ask for when it needs it. What a step of work may fail by
// stays longest.
const (
	rankEmpty tokencount.Rank = iota // that there is nothing
	rankWisdom
	rankPatterns
	rankClosed         // breakers that let everything pass
	rankContradictions // beyond the first three
	rankMemories
	rankGuardrailDetail // conditions
	rankDecisionDetail  // reasons and lessons, beyond the first three decisions
	rankDecisions       // beyond the first three
	rankCalibration
	rankActions // that are not overdue
	rankProtocol
	rankFirstConflicts // the first three contradictions
	rankFirstDetail    // reasons and lessons of the first three decisions
	rankGuardrailText  // what a guardrail says
	rankFirstDecisions
	rankAdvice // guardrails that warn or are on trial
	rankNotes
	rankOverdue  // reviews
	rankOpen     // breakers that stop something
	rankBlocking // the names of guardrails that block
	rankProfile
)

// shownWhole is how many decisions and contradictions count as the first.
const shownWhole = 3

type piece = tokencount.Piece[content]

type form = tokencount.Form[content]

// content is something that stands in the answer: as JSON, or as lines of Markdown.
type content interface{ markdown() string }

// inJSON is a value as the answer has it.
func inJSON(value any) string {
	text, err := render.JSON(value)
	if err != nil { // types of ours
		panic(err)
	}
	return string(text)
}
