// Package views formats the answers of operations as text for people.
//
//	text, ok := views.Text(answer, terminal.Page{}) // false for an answer that is only data
package views

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"nomograph/agents"
	"nomograph/agents/peers"
	"nomograph/decisions/insights"
	"nomograph/internal/terminal"
	"nomograph/memory/recall"
	"nomograph/policies/check"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/trace"
)

// A view formats the answers of one type.
type view struct {
	answer reflect.Type
	text   func(answer any, page terminal.Page) string
}

// of returns a view for the page that shows the answer.
func of[T any](text func(T, terminal.Page) string) view {
	return view{reflect.TypeFor[T](), func(answer any, page terminal.Page) string { return text(answer.(T), page) }}
}

// plain returns a view that is the same on every page.
func plain[T any](text func(T) string) view {
	return of(func(answer T, _ terminal.Page) string { return text(answer) })
}

var all = []view{
	list[proposals.List]("ID=ProposalID STATE=State:word PROPOSED_BY=ProposedBy DATE=CreatedAt CHANGE=Change"),
	of(proposalsProposal),
	list[peers.Registry]("NAME=Name URL=URL DESCRIPTION=Description"),
	list[agents.IntentList]("ID=ID AT=At AGENT_ID=AgentID STAKES=Stakes GUARDRAILS=Allowed INTENT=Intent"),
	list[insights.Compacted]("ID=ID LEVEL=Level DATE=Date CATEGORY=Category OUTCOME=Outcome:word TEXT=Text"),
	list[insights.Salient]("ID=ID TITLE=Title OUTCOME=Outcome:word DEPENDENTS=Dependents SCORE=Score"),
	plain(insightsReadyList),
	of(insightsToday),
	plain(briefingSessionContext),
	plain(countersRebuiltStats),
	plain(countersStats),
	plain(importsImported),
	plain(linksGraph),
	plain(linksLineage),
	plain(linksLinkResult),
	plain(linksNeighbors),
	plain(linksPath),
	plain(linksUnlinkResult),
	of(precedentsList),
	of(precedentsMatches),
	of(preparationPreActionResult),
	of(decisionsDetails),
	plain(decisionsPreserved),
	plain(decisionsRecorded),
	plain(decisionsRetracted),
	plain(decisionsReviewed),
	plain(decisionsUpdated),
	plain(archiveImported),
	plain(conversationsImported),
	plain(memoryForgetResult),
	plain(memoryRememberResult),
	plain(changePolicyDeleted),
	plain(changeThresholdDeleted),
	of(circuitBreakerList),
	of(circuitState),
	plain(circuitWasReset),
	of(checkExplanation),
	of(checkExpressionResult),
	of(checkVerdict),
	of(checkCoverage),
	plain(checkPruned),
	plain(checkAppeal),
	list[check.GuardrailList]("ID=ID ACTION=Action MESSAGE=Message"),
	list[check.AppealList]("VERDICT_ID=VerdictID AT=At STATE=State DESCRIPTION=Description RULES=Rules AGENT_ID=AgentID REASON=Reason ANSWER=Answer"),
	list[check.VerdictList]("VERDICT_ID=VerdictID:id AT=At ANSWER=Allowed:word DESCRIPTION=Description RULES=Rules AGENT_ID=AgentID STAKES=Stakes PROJECT=Project"),
	of(historyHistory),
	of(tableNode),
	list[sessions.ExceptionList]("EXCEPTION_ID=ExceptionID STATE=State AGENT_ID=AgentID ACTION=Action PARAMS=Params RULES=Rules.Rule VALID_UNTIL=ValidUntil USED=Used"),
	list[sessions.ApprovalList]("APPROVAL_ID=ApprovalID STATE=State AGENT_ID=AgentID ACTION=Action PARAMS=Params ASKED_AT=AskedAt WHY=Why"),
	list[sessions.AtlasList]("ATLAS_ID=AtlasID VERSION=Version NAME=Name CONTEXTS=Contexts POLICIES=Policies LOADED_AT=LoadedAt PROJECT=Project DOMAINS=Domains"),
	plain(sessionsBootstrapped),
	plain(sessionsGiven),
	plain(sessionsStarted),
	list[sessions.ContextsFound]("CONTEXT_ID=ContextID ATLAS_ID=AtlasID NAME=Name SCORE=MatchScore"),
	list[sessions.Usage]("NAME=Name SESSIONS=Sessions REQUESTS=Requests CONTEXTS_GIVEN=Given HELPFUL=Helpful NOT_HELPFUL=NotHelpful LAST_AT=LastAt"),
	of(tokensList),
	list[tokens.Usage]("DAY=Day NAME=Name OPERATION=Operation CALLS=Calls DENIALS=Denials REFUSALS=Refusals BYTES=Bytes"),
	list[trace.SessionList]("SESSION_ID=SessionID:id AGENT_ID=AgentID EVENTS=Events LAST_AT=LastAt STARTED_AT=StartedAt WORKSPACE=Workspace ENDED_AT=EndedAt"),
	plain(traceVerification),
	plain(recall.SessionList.TextWithYears),
	plain(recall.Reconstruction.TextWithYears),
}

var byType = sync.OnceValue(func() map[reflect.Type]view {
	views := map[reflect.Type]view{}
	for _, v := range all {
		views[v.answer] = v
	}
	return views
})

// Text returns the text of an answer, and false for an answer without one.
func Text(answer any, page terminal.Page) (string, bool) {
	if v, ok := byType()[reflect.TypeOf(answer)]; ok {
		return v.text(answer, page), true
	}
	switch v := answer.(type) {
	case interface{ Layout(terminal.Page) string }: // answers of commands
		return v.Layout(page), true
	case fmt.Stringer: // format of the memory tools' source document
		return v.String(), true
	}
	return "", false
}

// addNotes adds the notes of an answer.
func addNotes(b *strings.Builder, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(b, "note: %s\n", note)
	}
}
