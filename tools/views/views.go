// Package views formats the answers of operations as text for people.
//
//	text, ok := views.Text(answer, terminal.Page{}) // false for an answer that is only data
package views

import (
	"fmt"

	"nomograph/agents"
	"nomograph/agents/client"
	"nomograph/agents/exchange"
	"nomograph/agents/federation"
	"nomograph/agents/peers"
	"nomograph/decisions"
	"nomograph/decisions/attribution"
	"nomograph/decisions/briefing"
	"nomograph/decisions/counters"
	"nomograph/decisions/imports"
	"nomograph/decisions/insights"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/decisions/preparation"
	"nomograph/graph/archive"
	"nomograph/internal/terminal"
	"nomograph/memory"
	"nomograph/memory/conversations"
	"nomograph/memory/recall"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/policies/history"
	"nomograph/policies/proposals"
	"nomograph/policies/table"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/trace"
)

// Text returns the text of an answer, and false for an answer without one.
func Text(answer any, page terminal.Page) (string, bool) {
	switch v := answer.(type) {
	case proposals.List:
		return proposalsList(v, page), true
	case proposals.Proposal:
		return proposalsProposal(v, page), true
	case client.Card:
		return clientCard(v), true
	case exchange.FollowResult:
		return exchangeFollowResult(v), true
	case exchange.SubscribeResult:
		return exchangeSubscribeResult(v), true
	case federation.CheckResult:
		return federationCheckResult(v, page), true
	case federation.Consensus:
		return federationConsensus(v, page), true
	case federation.Ranking:
		return federationRanking(v, page), true
	case federation.Votes:
		return federationVotes(v, page), true
	case peers.AddResult:
		return peersAddResult(v), true
	case peers.CardResult:
		return peersCardShown(v), true
	case peers.Discovered:
		return peersDiscovered(v, page), true
	case peers.List:
		return peersList(v, page), true
	case peers.Registry:
		return peersRegistry(v, page), true
	case agents.IntentList:
		return agentsIntentList(v, page), true
	case insights.Compacted:
		return insightsCompacted(v, page), true
	case insights.Contradictions:
		return insightsContradictions(v, page), true
	case insights.ReadyList:
		return insightsReadyList(v), true
	case insights.Salient:
		return insightsSalient(v), true
	case insights.Today:
		return insightsToday(v, page), true
	case insights.Wisdom:
		return insightsWisdom(v), true
	case attribution.Attribution:
		return attributionAttribution(v), true
	case briefing.SessionContext:
		return briefingSessionContext(v), true
	case counters.Drift:
		return countersDrift(v), true
	case counters.ReasonStats:
		return countersReasonStats(v), true
	case counters.RebuiltStats:
		return countersRebuiltStats(v), true
	case counters.Stats:
		return countersStats(v), true
	case imports.Imported:
		return importsImported(v), true
	case links.Graph:
		return linksGraph(v), true
	case links.Lineage:
		return linksLineage(v), true
	case links.LinkResult:
		return linksLinkResult(v), true
	case links.Neighbors:
		return linksNeighbors(v), true
	case links.Path:
		return linksPath(v), true
	case links.UnlinkResult:
		return linksUnlinkResult(v), true
	case precedents.List:
		return precedentsList(v, page), true
	case precedents.Matches:
		return precedentsMatches(v, page), true
	case preparation.PreActionResult:
		return preparationPreActionResult(v, page), true
	case decisions.Details:
		return decisionsDetails(v, page), true
	case decisions.Preserved:
		return decisionsPreserved(v), true
	case decisions.Recorded:
		return decisionsRecorded(v), true
	case decisions.Retracted:
		return decisionsRetracted(v), true
	case decisions.Reviewed:
		return decisionsReviewed(v), true
	case decisions.Updated:
		return decisionsUpdated(v), true
	case archive.Imported:
		return archiveImported(v), true
	case conversations.Imported:
		return conversationsImported(v), true
	case memory.ForgetResult:
		return memoryForgetResult(v), true
	case memory.RememberResult:
		return memoryRememberResult(v), true
	case change.PolicyDeleted:
		return changeDeleted(v.NodeDeleted, "policy", "its effect was "+v.Effect, nil), true
	case change.ThresholdDeleted:
		return changeDeleted(v.NodeDeleted, "threshold", "it had the value "+policies.ShowValueOrNone(v.Value.Any()), v.ReadBy), true
	case circuit.BreakerList:
		return circuitBreakerList(v, page), true
	case circuit.State:
		return circuitState(v, page), true
	case circuit.WasReset:
		return circuitWasReset(v), true
	case check.Explanation:
		return checkExplanation(v, page), true
	case check.ExpressionResult:
		return checkExpressionResult(v, page), true
	case check.GuardrailList:
		return checkGuardrailList(v, page), true
	case check.Verdict:
		return checkVerdict(v, page), true
	case check.Coverage:
		return checkCoverage(v, page), true
	case check.Pruned:
		return checkPruned(v), true
	case check.Appeal:
		return checkAppeal(v), true
	case check.AppealList:
		return checkAppealList(v, page), true
	case check.VerdictList:
		return checkVerdictList(v, page), true
	case history.History:
		return historyHistory(v, page), true
	case table.Node:
		return tableNode(v, page), true
	case sessions.ExceptionList:
		return sessionsExceptionList(v, page), true
	case sessions.ApprovalList:
		return sessionsApprovalList(v, page), true
	case sessions.AtlasList:
		return sessionsAtlasList(v, page), true
	case sessions.Bootstrapped:
		return sessionsBootstrapped(v), true
	case sessions.ContextsFound:
		return sessionsContextsFound(v), true
	case sessions.Given:
		return sessionsGiven(v), true
	case sessions.Started:
		return sessionsStarted(v), true
	case sessions.Suggestions:
		return sessionsSuggestions(v), true
	case sessions.Usage:
		return sessionsUsage(v, page), true
	case tokens.List:
		return tokensList(v, page), true
	case tokens.Usage:
		return tokensUsage(v, page), true
	case trace.SessionList:
		return traceSessionList(v, page), true
	case trace.Verification:
		return traceVerification(v), true
	case recall.SessionList:
		return v.TextWithYears(), true
	case recall.Reconstruction:
		return v.TextWithYears(), true
	case interface{ Layout(terminal.Page) string }: // answers of commands
		return v.Layout(page), true
	case fmt.Stringer: // format of the memory tools' source document
		return v.String(), true
	}
	return "", false
}
