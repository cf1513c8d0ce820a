package events

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/agents"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/sessions"
	"nomograph/trace"
)

// Event types.
const (
	PolicyChanged    = "policy.changed"
	ThresholdChanged = "threshold.changed"
	TableChanged     = "table.changed"
	SourceChanged    = "source.changed"
	ConceptChanged   = "concept.changed"
	ProgramChanged   = "program.changed"
	VerdictGiven     = "verdict.given"
	DecisionRecorded = "decision.recorded"
	DecisionUpdated  = "decision.updated"
	DecisionReviewed = "decision.reviewed"
	BreakerReset     = "breaker.reset"
	IntentAnnounced  = "intent.announced"
	IntentAnswered   = "intent.answered"
	AtlasChanged     = "atlas.changed"
	ContextChanged   = "context.changed"
	ApprovalAsked    = "approval.requested"
	ApprovalAnswered = "approval.answered"
	LinkChanged      = "link.changed"
	VerdictAppealed  = "verdict.appealed"
	AppealDecided    = "appeal.decided"
	ProposalOpened   = "proposal.opened"
	ProposalApproved = "proposal.approved"
	ProposalRejected = "proposal.rejected"
	ProposalApplied  = "proposal.applied"
	ProposalRetired  = "proposal.withdrawn"
	ProposalStale    = "proposal.stale"
	SessionStarted   = "session.started"
	SessionEvent     = "session.event"
	SessionEnded     = "session.ended"
)

// Type describes an event type.
type Type struct {
	Name string
	Use  string
	// Operation is the operation that shows the same data; a caller who may not call it receives no such events.
	Operation string
	// Asked types are sent only to subscribers that name them, because they are frequent.
	Asked bool
	kind  string // node kind of the statements
}

// Types lists all event types.
var Types = []Type{
	{Name: PolicyChanged, Use: "a policy was created, changed or removed, also by hand", Operation: "get_history",
		kind: kindChange},
	{Name: ThresholdChanged, Use: "a threshold was created, changed or removed", Operation: "get_history",
		kind: kindChange},
	{Name: TableChanged, Use: "a decision table was created, changed or removed", Operation: "get_history",
		kind: kindChange},
	{Name: ProgramChanged, Use: "a program was changed by a pack", Operation: "get_history", kind: kindChange},
	{Name: SourceChanged, Use: "a federation source was changed by a pack", Operation: "get_history", kind: kindChange},
	{Name: ConceptChanged, Use: "a subject concept was changed by a pack", Operation: "get_history", kind: kindChange},
	{Name: AtlasChanged, Use: "an atlas was loaded, changed or removed", Operation: "get_history", kind: kindChange},
	{Name: ContextChanged, Use: "a context of an atlas was loaded, changed or removed", Operation: "get_history",
		kind: kindChange},
	{Name: VerdictGiven, Use: "an action was allowed or denied", Operation: "list_verdicts", kind: kindVerdict},
	{Name: DecisionRecorded, Use: "a decision was recorded", Operation: "list_decisions", kind: kindDecision},
	{Name: DecisionUpdated, Use: "a decision was changed or retracted", Operation: "get_decision", kind: kindRevision},
	{Name: DecisionReviewed, Use: "a decision's outcome was recorded", Operation: "get_decision", kind: kindReview},
	{Name: LinkChanged, Use: "a link between two decisions was created, changed or removed", Operation: "get_decision",
		kind: kindLink},
	{Name: BreakerReset, Use: "a circuit breaker was reset", Operation: "list_breakers", kind: kindReset},
	{Name: ApprovalAsked, Use: "an agent requested approval of an action", Operation: "list_approvals",
		kind: kindRequest},
	{Name: ApprovalAnswered, Use: "a person approved or rejected a request", Operation: "list_approvals",
		kind: kindAnswer},
	{Name: VerdictAppealed, Use: "an agent appealed against a denial", Operation: "list_appeals", kind: kindAppeal},
	{Name: AppealDecided, Use: "a person upheld or overturned a denial after an appeal", Operation: "list_appeals",
		kind: kindRuling},
	{Name: ProposalOpened, Use: "a change of the rules was proposed or replayed again, and needs approval",
		Operation: "list_proposals", kind: kindProposal},
	{Name: ProposalApproved, Use: "a person approved a proposed change", Operation: "list_proposals",
		kind: kindProposal},
	{Name: ProposalRejected, Use: "a person rejected a proposed change", Operation: "list_proposals",
		kind: kindProposal},
	{Name: ProposalApplied, Use: "a proposed change was applied", Operation: "list_proposals", kind: kindProposal},
	{Name: ProposalRetired, Use: "a proposed change was withdrawn", Operation: "list_proposals", kind: kindProposal},
	{Name: ProposalStale, Use: "a proposed change became outdated, because the rules have changed",
		Operation: "list_proposals", kind: kindProposal},
	{Name: SessionStarted, Use: "a governed session began", Operation: "get_session", Asked: true, kind: kindStep},
	{Name: SessionEvent, Use: "an event was recorded in a session, such as a given context, a reported action or a thought", Operation: "get_session", Asked: true, kind: kindStep},
	{Name: SessionEnded, Use: "a governed session ended", Operation: "get_session", Asked: true, kind: kindStep},
	{Name: IntentAnnounced, Use: "an agent announced an action", Operation: "list_intents", kind: kindIntent},
	{Name: IntentAnswered, Use: "an agent, or the guardrails of a server, voted on an intent", Operation: "get_intent",
		kind: kindVote},
}

// Kinds of nodes that events are read from, as statements name them.
const (
	kindChange   = "change"
	kindVerdict  = "verdict"
	kindDecision = "decision"
	kindRevision = "revision"
	kindReview   = "review"
	kindReset    = "reset"
	kindIntent   = "intent"
	kindVote     = "voice"
	kindRequest  = "request"
	kindAnswer   = "answer"
	kindStep     = "step"
	kindLink     = "link"
	kindAppeal   = "appeal"
	kindRuling   = "ruling"
	kindProposal = "proposal"
)

var changeTypes = map[string]string{"SYS_Policy": PolicyChanged, "SYS_Threshold": ThresholdChanged,
	"SYS_DecisionTable": TableChanged,
	"SYS_Program":       ProgramChanged, "SYS_FederationSource": SourceChanged, "SubjectConcept": ConceptChanged,
	"Atlas": AtlasChanged, "Context": ContextChanged}

var proposalTypes = map[string]string{"open": ProposalOpened, "approved": ProposalApproved,
	"rejected": ProposalRejected, "applied": ProposalApplied, "withdrawn": ProposalRetired, "stale": ProposalStale}

// Event is one event. Decisions are shown in their current state.
type Event struct {
	ID       string             `json:"id" jsonschema:"time/uid, the same on every server"`
	Type     string             `json:"type"`
	At       time.Time          `json:"at"`
	Change   *Change            `json:"change,omitempty"`
	Verdict  *check.VerdictRow  `json:"verdict,omitempty"`
	Decision *decisions.Summary `json:"decision,omitempty"`
	Revision *Revision          `json:"revision,omitempty"`
	Review   *decisions.Review  `json:"review,omitempty"`
	Reset    *Reset             `json:"reset,omitempty"`
	Intent   *agents.Intent     `json:"intent,omitempty"`
	Vote     *agents.Vote       `json:"vote,omitempty"`
	Approval *sessions.Approval `json:"approval,omitempty"`
	Session  *Step              `json:"session,omitempty"`
	Link     *Link              `json:"link,omitempty"`
	Appeal   *check.Appeal      `json:"appeal,omitempty"`
	Proposal *Proposal          `json:"proposal,omitempty"`

	uid, kind  string
	by         string // agent or person who caused it
	asker      string // requester of an approval; identity of a proposer
	session    string // session of the event, if any
	sessionUID string // uid of the session, if the event is not one of its steps
	project    string
	category   string
	stakes     string
	shown      []owner // decisions that it is about, and the projects of an atlas or a context
	text       func() ([]byte, error)
}

// Change is a change of a policy, a threshold or another node of a pack.
type Change struct {
	Of   string `json:"of" jsonschema:"policy, threshold, table, source, concept, atlas or context"`
	Name string `json:"name"`
	history.Entry
}

// Revision is an update of a decision.
type Revision struct {
	Number int64  `json:"number"`
	By     string `json:"by"`
	Why    string `json:"reason,omitempty"`
}

// Proposal is a step of a proposed change of the rules.
type Proposal struct {
	ProposalID string   `json:"proposal_id"`
	State      string   `json:"state" jsonschema:"open, approved, rejected, applied, withdrawn or stale"`
	Change     []string `json:"change" jsonschema:"the change in words"`
	Reason     string   `json:"reason,omitempty" jsonschema:"reason for the change, or for approving or rejecting it"`
	Project    string   `json:"project,omitempty"`
	ProposedBy string   `json:"proposed_by"`
	By         string   `json:"by"`
}

// Reset is the reset of a circuit breaker.
type Reset struct {
	Scope      string `json:"scope"`
	By         string `json:"by"`
	Reason     string `json:"reason,omitempty"`
	ProbeFirst bool   `json:"probe_first"`
}

// Step is an event of a session.
type Step struct {
	SessionID  string `json:"session_id"`
	SessionUID string `json:"session_uid"`
	trace.EventRow
}

// Link is the creation, change or removal of a link between two decisions.
type Link struct {
	Kind     string  `json:"kind" jsonschema:"made, changed or removed"`
	SourceID string  `json:"source_id"`
	TargetID string  `json:"target_id"`
	EdgeType string  `json:"edge_type"`
	Weight   float64 `json:"weight"`
	Context  string  `json:"context,omitempty" jsonschema:"reason for the link or its removal"`
	By       string  `json:"by"`
}

// JSON returns the event as JSON. It is encoded once for all subscribers.
func (e *Event) JSON() ([]byte, error) { return e.text() }

// eventPosition is the position of an event in the feed.
type eventPosition struct {
	at  time.Time
	uid string
}

func (e *Event) position() eventPosition { return eventPosition{e.At, e.uid} }

func (m eventPosition) compare(other eventPosition) int {
	return cmp.Or(m.at.Compare(other.at), cmp.Compare(m.uid, other.uid))
}

// row is a row of the statement.
type row struct {
	Kind     string
	At       time.Time
	UID      string
	Own      map[string]any
	Decision map[string]any
	Versions []any
	Intent   map[string]any
}

// event decodes a row. It returns nil if there is nothing to publish, such as the review of a deleted decision.
func (r row) event() (*Event, error) {
	text := func(name string) string { return graph.Text(r.Own, name) }
	e := &Event{At: r.At.UTC(), uid: r.UID, kind: r.Kind, by: text("by")}
	e.ID = eventPosition{e.At, r.UID}.String()
	if r.Decision != nil {
		s := decisions.SummaryOf(r.Decision)
		e.Decision, e.project, e.category, e.stakes, e.shown = &s, s.Project, s.Category, s.Stakes,
			[]owner{ownerOf(r.Decision)}
	}
	switch r.Kind {
	case kindChange:
		entry, err := history.EntryOf(r.Own, r.Versions)
		if err != nil {
			return nil, err
		}
		projects, err := history.Projects(text("label"), r.Versions)
		if err != nil {
			return nil, err
		}
		for _, project := range projects {
			e.shown = append(e.shown, owner{project: project, visibility: "project"})
		}
		e.Type = changeTypes[text("label")]
		of, _, _ := strings.Cut(e.Type, ".")
		e.Change = &Change{Of: of, Name: text("name"), Entry: entry}
	case kindVerdict:
		allowed, _ := r.Own["allowed"].(bool)
		objections, _ := r.Own["objections"].([]any)
		e.Type, e.by, e.project, e.category, e.stakes = VerdictGiven, text("agent"), text("project"), text("category"),
			text("stakes")
		e.shown = evaluatedOwners(r.Own)
		e.Verdict = &check.VerdictRow{VerdictID: r.UID, At: e.At, Allowed: allowed, AgentID: e.by, Project: e.project,
			Stakes:      e.stakes,
			Description: text("description"), Rules: objections, Revision: text("revision")}
		e.Verdict.NeedsApproval = !allowed && check.NeedsApproval(text("results"))
	case kindDecision:
		e.Type, e.by = DecisionRecorded, graph.Text(r.Decision, "agent")
	case kindRevision:
		number, _ := r.Own["number"].(int64)
		e.Type, e.Revision = DecisionUpdated, &Revision{Number: number, By: e.by, Why: text("why")}
	case kindReview:
		review := decisions.ReviewOf(r.Own)
		review.At = e.At
		e.Type, e.Review = DecisionReviewed, &review
	case kindReset:
		probe, _ := r.Own["probe_first"].(bool)
		e.Type, e.Reset = BreakerReset, &Reset{Scope: text("scope"), By: e.by, Reason: text("reason"),
			ProbeFirst: probe}
	case kindIntent, kindVote:
		if r.Intent == nil {
			return nil, nil
		}
		intent := agents.IntentOf(r.Intent)
		e.Type, e.Intent, e.by, e.project, e.category, e.stakes = IntentAnnounced, &intent, intent.AgentID,
			intent.Project, intent.Category, intent.Stakes
		if r.Kind == kindVote {
			vote := agents.VoteOf(r.Own)
			e.Type, e.Vote, e.by = IntentAnswered, &vote, vote.AgentID
		}
	case kindRequest, kindAnswer:
		approval := sessions.ApprovalOf(r.Own)
		e.Type, e.Approval, e.by, e.session = ApprovalAsked, &approval, approval.AgentID, approval.SessionID
		e.project, e.asker, e.sessionUID = approval.Project, text("asked_by"), text("session_uid")
		if r.Kind == kindAnswer {
			e.Type, e.by = ApprovalAnswered, approval.AnsweredBy
		}
	case kindAppeal, kindRuling:
		appeal := check.AppealOf(r.Own)
		e.Type, e.Appeal, e.by, e.project, e.category, e.stakes = VerdictAppealed, appeal, appeal.AgentID,
			appeal.Project, appeal.Category, appeal.Stakes
		if r.Kind == kindRuling {
			e.Type, e.by = AppealDecided, appeal.DecidedBy
		}
		e.shown = evaluatedOwners(r.Own)
	case kindProposal:
		words, _ := r.Own["words"].([]any)
		e.Proposal = &Proposal{ProposalID: text("uid"), State: text("state"), Change: graph.Texts(words),
			Reason: text("why"), Project: text("project"), ProposedBy: text("proposed_by"), By: e.by}
		if text("uid") != "" { // otherwise it was deleted
			e.Type, e.project, e.asker = proposalTypes[text("state")], e.Proposal.Project, text("proposer")
		}
	case kindStep:
		e.Session = &Step{SessionID: text("session_id"), SessionUID: text("session"),
			EventRow: trace.EventOf(r.Own, e.At, r.UID)}
		e.by, e.session = e.Session.AgentID, e.Session.SessionID
		switch e.Session.Type {
		case SessionStarted, SessionEnded:
			e.Type = e.Session.Type
		default:
			e.Type = SessionEvent
		}
	case kindLink:
		ends, _ := r.Own["ends"].([]any)
		var ids []string
		for _, end := range ends {
			if decision, ok := end.(map[string]any); ok {
				ids, e.shown, e.project = append(ids, graph.Text(decision, "id")), append(e.shown, ownerOf(decision)),
					graph.Text(decision, "project")
			}
		}
		if len(ids) == 2 { // otherwise one of them was deleted
			weight, _ := r.Own["weight"].(float64)
			e.Type, e.Link = LinkChanged, &Link{text("kind"), ids[0], ids[1], strings.ToLower(text("type")), weight,
				text("context"), e.by}
		}
	}
	ofDecision := slices.Contains([]string{kindDecision, kindRevision, kindReview}, r.Kind)
	if e.Type == "" || ofDecision && e.Decision == nil {
		return nil, nil
	}
	e = render.CleanValue(e).(*Event)
	e.text = sync.OnceValues(func() ([]byte, error) { return render.JSON(e) })
	return e, nil
}

// owner holds the properties that decide who may see a decision.
type owner struct{ project, agent, visibility string }

func ownerOf(decision map[string]any) owner {
	return owner{graph.Text(decision, "project"), graph.Text(decision, "agent"), graph.Text(decision, "visibility")}
}

// evaluatedOwners returns the owners of the decisions that a verdict evaluated.
func evaluatedOwners(own map[string]any) []owner {
	decisions, _ := own["judged"].([]any)
	var owners []owner
	for _, one := range decisions {
		decision, _ := one.(map[string]any)
		owners = append(owners, ownerOf(decision))
	}
	return owners
}

// visible reports whether a caller may see the decision, by the same rule as the visibility filter of statements.
func (o owner) visible(c caller.Caller) bool {
	return o.project != "" && c.Sees(o.project) && o.visibility != "" && (o.visibility != "private" || c.Is(o.agent))
}

// visible reports whether a caller may see the event. A verdict has the visibility of its project and of the decision
// that it evaluated; a change of an atlas or context that of its projects before and after.
func (e *Event) visible(c caller.Caller) bool {
	if !c.Limited() {
		return true
	}
	if e.Intent != nil && !c.Sees(e.project) && !c.Is(e.Intent.AgentID) {
		return false
	}
	if e.Session != nil && !c.Is(e.by) {
		return false
	}
	if e.Approval != nil && (e.project == "" || !c.Sees(e.project)) && !c.Is(e.Approval.AgentID) && !c.Is(e.asker) {
		return false
	}
	if (e.Verdict != nil || e.Appeal != nil) && (e.project == "" || !c.Sees(e.project)) {
		return false
	}
	if e.Proposal != nil && (e.project == "" || !c.Sees(e.project)) && e.asker != caller.Identity(c.Name) {
		return false
	}
	return !slices.ContainsFunc(e.shown, func(o owner) bool { return !o.visible(c) })
}
