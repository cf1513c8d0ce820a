package events

import (
	"cmp"
	_ "embed" // types.yaml
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

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

// Event types that others name.
const (
	PolicyChanged    = "policy.changed"
	ThresholdChanged = "threshold.changed"
	VerdictGiven     = "verdict.given"
	DecisionRecorded = "decision.recorded"
	AtlasChanged     = "atlas.changed"
	ContextChanged   = "context.changed"
	ApprovalAsked    = "approval.requested"
	ApprovalAnswered = "approval.answered"
)

// Type describes an event type.
type Type struct {
	Name string
	Use  string
	// Operation is the operation that shows the same data; a caller who may not call it receives no such events.
	Operation string
	// Asked types are sent only to subscribers that name them, because they are frequent.
	Asked    bool
	Kind, Of string // see types.yaml
}

//go:embed types.yaml
var typesFile []byte

// Types returns all event types.
var Types = sync.OnceValue(func() (types []Type) {
	if err := yaml.Unmarshal(typesFile, &types); err != nil { // the file is embedded, and the tests read it
		panic(err)
	}
	return types
})

// typeOf returns the name of the type of a node, "" for none.
func typeOf(kind, of string) (name string) {
	for _, t := range Types() {
		if t.Kind == kind && (t.Of == of || t.Of == "" && name == "") {
			name = t.Name
		}
	}
	return name
}

// Kinds of nodes that the code distinguishes.
const (
	kindChange = "change"
	kindAnswer = "answer"
	kindRuling = "ruling"
)

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
	ProposalID string   `json:"proposal_id" mapstructure:"uid"`
	State      string   `json:"state" jsonschema:"open, approved, rejected, applied, withdrawn or stale"`
	Change     []string `json:"change" mapstructure:"words" jsonschema:"the change in words"`
	Reason     string   `json:"reason,omitempty" mapstructure:"why" jsonschema:"reason for the change, or for approving or rejecting it"`
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
	EdgeType string  `json:"edge_type" mapstructure:"type"`
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

// decoded returns properties as a T. A property of a foreign type leaves its field empty.
func decoded[T any](properties map[string]any) *T {
	var v T
	_ = graph.Decode(properties, &v)
	return &v
}

// event decodes a row. It returns nil if there is nothing to publish, such as the review of a deleted decision.
func (r row) event() (*Event, error) {
	text := func(name string) string { return graph.Text(r.Own, name) }
	e := &Event{At: r.At, uid: r.UID, kind: r.Kind, by: text("by"), Type: typeOf(r.Kind, "")}
	e.ID = eventPosition{e.At, r.UID}.String()
	if r.Decision != nil {
		s := decisions.SummaryOf(r.Decision)
		e.Decision, e.shown = &s, []owner{ownerOf(r.Decision)}
		e.concerns(s.Project, s.Category, s.Stakes)
	}
	switch r.Kind {
	case kindChange:
		if err := r.change(e); err != nil {
			return nil, err
		}
	case "verdict":
		e.Verdict = decoded[check.VerdictRow](r.Own)
		v := e.Verdict
		v.VerdictID, v.At, v.AgentID, v.NeedsApproval = r.UID, e.At, text("agent"), !v.Allowed &&
			check.NeedsApproval(text("results"))
		v.Rules, _ = r.Own["objections"].([]any)
		e.by, e.shown = v.AgentID, evaluatedOwners(r.Own)
		e.concerns(v.Project, text("category"), v.Stakes)
	case "decision":
		e.by = graph.Text(r.Decision, "agent")
	case "revision":
		e.Revision = decoded[Revision](r.Own)
	case "review":
		review := decisions.ReviewOf(r.Own)
		review.At, e.Review = e.At, &review
	case "reset":
		e.Reset = decoded[Reset](r.Own)
	case "intent", "voice":
		if r.Intent == nil {
			return nil, nil
		}
		intent := agents.IntentOf(r.Intent)
		e.Intent, e.by = &intent, intent.AgentID
		e.concerns(intent.Project, intent.Category, intent.Stakes)
		if r.Kind == "voice" {
			vote := agents.VoteOf(r.Own)
			e.Vote, e.by = &vote, vote.AgentID
		}
	case "request", kindAnswer:
		approval := sessions.ApprovalOf(r.Own)
		e.Approval, e.by, e.session, e.project = &approval, approval.AgentID, approval.SessionID, approval.Project
		e.asker, e.sessionUID = text("asked_by"), text("session_uid")
		if r.Kind == kindAnswer {
			e.by = approval.AnsweredBy
		}
	case "appeal", kindRuling:
		e.Appeal, e.shown = check.AppealOf(r.Own), evaluatedOwners(r.Own)
		e.by = e.Appeal.AgentID
		e.concerns(e.Appeal.Project, e.Appeal.Category, e.Appeal.Stakes)
		if r.Kind == kindRuling {
			e.by = e.Appeal.DecidedBy
		}
	case "proposal":
		e.Proposal = decoded[Proposal](r.Own)
		if text("uid") != "" { // otherwise it was deleted
			e.Type, e.project, e.asker = typeOf(r.Kind, e.Proposal.State), e.Proposal.Project, text("proposer")
		}
	case "step":
		e.Session = &Step{SessionID: text("session_id"), SessionUID: text("session"),
			EventRow: trace.EventOf(r.Own, e.At, r.UID)}
		e.Type, e.by, e.session = typeOf(r.Kind, e.Session.Type), e.Session.AgentID, e.Session.SessionID
	case "link":
		e.Link, e.Type = decoded[Link](r.Own), ""
		ends, _ := r.Own["ends"].([]any)
		var ids []string
		for _, end := range ends {
			if decision, ok := end.(map[string]any); ok {
				ids, e.shown, e.project = append(ids, graph.Text(decision, "id")), append(e.shown, ownerOf(decision)),
					graph.Text(decision, "project")
			}
		}
		if len(ids) == 2 { // otherwise one of them was deleted
			e.Type, e.Link.EdgeType = typeOf(r.Kind, ""), strings.ToLower(e.Link.EdgeType)
			e.Link.SourceID, e.Link.TargetID = ids[0], ids[1]
		}
	}
	ofDecision := slices.Contains([]string{"decision", "revision", "review"}, r.Kind)
	if e.Type == "" || ofDecision && e.Decision == nil {
		return nil, nil
	}
	e = render.CleanValue(e).(*Event)
	e.text = sync.OnceValues(func() ([]byte, error) { return render.JSON(e) })
	return e, nil
}

// change completes the event of a changed node.
func (r row) change(e *Event) error {
	label := graph.Text(r.Own, "label")
	entry, err := history.EntryOf(r.Own, r.Versions)
	if err != nil {
		return err
	}
	projects, err := history.Projects(label, r.Versions)
	for _, project := range projects {
		e.shown = append(e.shown, owner{project: project, visibility: "project"})
	}
	e.Type = typeOf(r.Kind, label)
	of, _, _ := strings.Cut(e.Type, ".")
	e.Change = &Change{Of: of, Name: graph.Text(r.Own, "name"), Entry: entry}
	return err
}

// concerns sets the fields by which subscribers filter.
func (e *Event) concerns(project, category, stakes string) {
	e.project, e.category, e.stakes = project, category, stakes
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
	inProject := e.project != "" && c.Sees(e.project)
	switch {
	case !c.Limited():
		return true
	case e.Intent != nil && !c.Sees(e.project) && !c.Is(e.Intent.AgentID),
		e.Session != nil && !c.Is(e.by),
		e.Approval != nil && !inProject && !c.Is(e.Approval.AgentID) && !c.Is(e.asker),
		(e.Verdict != nil || e.Appeal != nil) && !inProject,
		e.Proposal != nil && !inProject && e.asker != caller.Identity(c.Name):
		return false
	}
	return !slices.ContainsFunc(e.shown, func(o owner) bool { return !o.visible(c) })
}
