package pages

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/tools"
)

// proposal is the data of the page of a proposal.
type proposal struct {
	proposals.Proposal
	Own bool        // made by the caller, who cannot approve it
	Now *lab.Replay // replay of today; nil if the proposal is closed, or the replay takes too long
}

// PageTitle returns the change in words.
func (p proposal) PageTitle() string {
	return "Proposal: " + cmp.Or(strings.Join(p.Change, "; "), "a change of the rules")
}

// Closed reports whether nothing can happen to the proposal anymore.
func (p proposal) Closed() bool {
	return slices.Contains([]string{proposals.StateRejected, proposals.StateApplied, proposals.StateWithdrawn}, p.State)
}

// ruleLink returns the page of a policy or threshold that a row changes; "" for other nodes.
func ruleLink(r change.Row) string {
	switch r.Section {
	case "policies":
		return link("/policy", "name", r.Name)
	case "thresholds":
		return link("/threshold", "name", r.Name)
	}
	return ""
}

// proposalReplay is the argument of replay_policies for a proposal.
type proposalReplay struct {
	lab.Request
	ProposalID string `json:"proposal_id,omitempty"`
}

func showProposal(v *Visit) (any, error) {
	found, err := Call[proposals.Proposal](v, "get_proposal", proposals.Query{ProposalID: v.PathValue("id")})
	if err != nil {
		return nil, err
	}
	out := proposal{Proposal: found, Own: caller.SameAgent(found.ProposedBy, v.Caller().Name)}
	if !out.Closed() {
		q := proposalReplay{ProposalID: found.ProposalID}
		if found.Replay != nil && found.Replay.From != nil {
			q.DateAfter = found.Replay.From.Format(time.RFC3339)
		}
		out.Now = v.shortReplay(q)
	}
	return out, nil
}

var proposalActs = map[string]Act{"approve": approveProposal, "reject": decideProposal("reject_proposal"),
	"apply":    stepProposal("apply_proposal"),
	"withdraw": stepProposal("withdraw_proposal"), "open": stepProposal("open_proposal")}

// approveProposal approves the plan that the page showed. The operation refuses any other plan.
func approveProposal(v *Visit) (string, error) {
	if v.Form("plan") == "" { // the operation would approve any plan
		return "", apperr.New(apperr.Validation, "The form does not say which plan you saw").WithHint("Reload the page")
	}
	return v.do("", "approve_proposal",
		proposals.Approval{Decision: proposals.Decision{Query: proposals.Query{ProposalID: v.PathValue("id")},
			Reason: v.Form("reason")}, Plan: v.Form("plan")})
}

func decideProposal(operation string) Act {
	return func(v *Visit) (string, error) {
		return v.do("", operation,
			proposals.Decision{Query: proposals.Query{ProposalID: v.PathValue("id")}, Reason: v.Form("reason")})
	}
}

func stepProposal(operation string) Act {
	return func(v *Visit) (string, error) {
		return v.do("", operation, proposals.Query{ProposalID: v.PathValue("id")})
	}
}

// proposing is the data of the page that proposes a threshold's value or a rule's mode.
type proposing struct {
	Threshold, Value  string
	Rule, Mode        string
	From, Unit        string // of the threshold
	Unusual           string // why the value is unusual; "" if it is not
	Replay            *lab.Replay
	Windows           [][2]string
	Since             string // start of the replayed window
	Rules, Thresholds []string
}

// Window names the replayed window.
func (p proposing) Window() string {
	for _, window := range p.Windows {
		if window[0] == p.Since {
			return strings.Replace(window[1], "all time", "whole time", 1)
		}
	}
	return ""
}

// Chosen reports whether the page has a change to propose.
func (p proposing) Chosen() bool {
	return p.Threshold != "" && p.Value != "" || p.Rule != "" && p.Mode != ""
}

func showPropose(v *Visit) (any, error) {
	out := proposing{Threshold: v.Query("threshold"), Value: strings.TrimSpace(v.Query("value")), Rule: v.Query("rule"),
		Mode: v.Query("mode"), Windows: windows, Since: "30d"}
	switch {
	case v.PostForm != nil:
		out.Since = v.Form("date_after")
	case v.query.Has("date_after"):
		out.Since = v.Query("date_after")
	}
	if !slices.ContainsFunc(windows, func(window [2]string) bool { return window[0] == out.Since }) { // the link of another page chose this window
		out.Windows = append([][2]string{{out.Since, "time since " + out.Since}}, windows...)
	}
	if !out.Chosen() {
		list, err := v.ruleNames()
		out.Rules, out.Thresholds = list[0], list[1]
		return out, err
	}
	wanted, err := v.proposedChange()
	if err != nil {
		return nil, err
	}
	if out.Threshold != "" && out.Value != "" {
		node, err := v.node(thresholdKind, out.Threshold, "", "")
		if err != nil {
			return nil, err
		}
		stored := node.Properties["value"]
		out.From, out.Unit, out.Unusual = shownValue(stored), shownValue(node.Properties["unit"]),
			policies.Unusual(stored, wanted.Set[out.Threshold])
	}
	out.Replay = v.shortReplay(lab.Request{Change: wanted,
		Filter: lab.Filter{Range: timeparse.Range{DateAfter: out.Since}}})
	return out, nil
}

// proposedChange returns the change in the page's address.
func (v *Visit) proposedChange() (c lab.Change, err error) {
	if name, text := v.Query("threshold"), strings.TrimSpace(v.Query("value")); name != "" && text != "" {
		value, err := v.valueOf(name, text)
		if err != nil {
			return c, err
		}
		c.Set = graph.Parameters{name: value}
	}
	if rule, mode := v.Query("rule"), v.Query("mode"); rule != "" && mode != "" {
		c.Mode = graph.Parameters{rule: mode}
	}
	return c, nil
}

// proposeChange stores the proposal of the form, and redirects to its page.
func proposeChange(v *Visit) (string, error) {
	wanted, err := v.proposedChange()
	if err != nil {
		return "", err
	}
	c := proposals.Creation{Change: wanted, Reason: v.Form("reason"), Project: strings.TrimSpace(v.Form("project")),
		Because:   strings.Fields(strings.ReplaceAll(v.Form("because"), ",", " ")),
		DateAfter: v.Form("date_after"), Draft: v.Form("draft") == "true"}
	made, err := Call[proposals.Proposal](v, "propose_change", c)
	return "/proposals/" + made.ProposalID, err
}

// openProposals returns the proposals that need approval or another replay, and how many the caller did not make and
// can approve.
func (v *Visit) openProposals() (found proposals.List, others int, err error) {
	found, err = callIfMay[proposals.List](v, "list_proposals",
		proposals.Filter{State: proposals.StateOpen, Page: policies.Page{Limit: pendingRead}})
	others = len(lists.Filter(found.Proposals,
		func(p proposals.Proposal) bool { return !caller.SameAgent(p.ProposedBy, v.Caller().Name) }))
	if err == nil {
		var stale proposals.List
		stale, err = callIfMay[proposals.List](v, "list_proposals",
			proposals.Filter{State: proposals.StateStale, Page: policies.Page{Limit: pendingRead}})
		found.Proposals = append(found.Proposals, stale.Proposals...)
		found.NextCursor = cmp.Or(found.NextCursor, stale.NextCursor)
	}
	return found, others, err
}

// permitted reports whether the caller's permissions allow an operation, also on a page that cannot change anything.
func (v *Visit) permitted(operation string) bool {
	o, ok := tools.Find(v.server.options.Operations, operation)
	return ok && o.Permits(v.Caller())
}
