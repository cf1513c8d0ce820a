package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/policies/check"
	"nomograph/trace"
)

// Settings for asking the user of an agent's client to approve a reported action.
const (
	AskLocal  = "local"  // if the process belongs to the user
	AskAlways = "always" // also over the network
	AskNever  = "never"
)

// UserAnswer is the answer of the user at the agent's client.
type UserAnswer struct {
	Approve    bool
	Reason     string
	ForSeconds int64
	By         string
}

// askUser asks a person who is available now. It reports whether the person answered; otherwise the request stays
// pending.
func (s *Store) askUser(ctx context.Context, q Report, out Reported) (bool, error) {
	if q.Ask == nil {
		return false, nil
	}
	shown, err := s.Approval(ctx, ApprovalQuery{ApprovalID: out.ApprovalID})
	if err != nil {
		return false, err
	}
	reply, err := q.Ask(ctx, shown)
	if err != nil || reply == nil {
		return false, err
	}
	answer := Answer{ApprovalID: out.ApprovalID, Reason: cmp.Or(strings.TrimSpace(reply.Reason), "said nothing"),
		By: reply.By}
	if reply.Approve {
		_, err = s.Approve(ctx, Grant{answer, reply.ForSeconds})
	} else {
		_, err = s.Reject(ctx, answer)
	}
	if err != nil && !apperr.Is(err, apperr.Conflict) { // if another person answered first, that answer counts
		return false, err
	}
	return s.await(ctx, out.ApprovalID, time.Now().Add(s.ApprovalDelay+effectTimeout))
}

// effectTimeout is the time that a call waits for an immediate grant beyond its delay.
const effectTimeout = 5 * time.Second

// claim says which approval is wanted and what to do with it.
type claim struct {
	verdict string
	use     bool     // use a grant
	create  bool     // request an approval if none exists
	only    string   // id of the only grant to use; empty for any
	project string   // project of the action; a grant is valid for one project
	session governed // the session of the report, if any
	stakes  string   // as the rules saw them
	risk    string   // declared by an atlas; empty if none does
}

// ask finds a grant for the action and uses it if the action is otherwise allowed. Without a grant it returns the
// rejection of an earlier request, or requests an approval.
func (s *Store) ask(ctx context.Context, out *Reported, q Report, asks approvalRules, violations []check.Violation,
	c claim) error {
	found, err := s.claim(ctx, q, asks, violations, c)
	if err != nil {
		return err
	}
	if found.ApprovalID == "" {
		out.Decision, out.Reason = DeniedAction, fmt.Sprintf("No rule covers the action '%s', and nobody who could approve it can be reached", redact.Mask(q.Action))
		return nil
	}
	var instead []string
	for _, o := range violations {
		instead = append(instead, o.Alternatives...)
	}
	out.ApprovalID, out.Hidden = found.ApprovalID, found.Hidden
	if found.Elsewhere {
		out.PolicyNotes = append(out.PolicyNotes, "A similar request was made with another key, so Nomograph cannot compare them. Servers that share a database need the same server.pages_key")
	}
	switch found.State {
	case "granted":
		out.Reason = fmt.Sprintf("Approved by %s: %s", found.AnsweredBy, found.Reason)
	case "granting":
		out.Decision, out.Alternatives, out.EffectiveAt = NeedsApproval, instead, found.EffectiveAt
		out.Reason = fmt.Sprintf("Approved by %s: %s. It takes effect at %s, unless it is undone until then",
			found.AnsweredBy, found.Reason, instant(found.EffectiveAt))
	case "denied":
		out.Decision, out.Reason, out.Alternatives = DeniedAction,
			fmt.Sprintf("Rejected by %s: %s", found.AnsweredBy, found.Reason), instead
	default:
		out.Decision, out.Reason, out.Alternatives, out.ExpiresAt = NeedsApproval, approvalReason(violations), instead,
			&found.ExpiresAt
	}
	return nil
}

// approvalReason returns the messages of the rules that require an approval.
func approvalReason(violations []check.Violation) string {
	if len(violations) == 0 {
		return "no rule covers the action"
	}
	why := lists.Map(violations, func(o check.Violation) string { return o.GuardrailID + ": " + o.Message })
	return strings.Join(why, "; ")
}

// claim finds the approval for an action; the zero value without one. Its errors say allowed: false.
func (s *Store) claim(ctx context.Context, q Report, asks approvalRules, violations []check.Violation,
	c claim) (approvalRow, error) {
	p, err := s.claimOf(ctx, q, asks, violations, c)
	if err != nil {
		return approvalRow{}, apperr.From(err).Deny()
	}
	found, err := graph.Append[approvalRow](ctx, s.graph, cypher.ApprovalClaim, p)
	if err != nil {
		return approvalRow{}, apperr.From(err).Deny()
	}
	return found, nil
}

// claimOf returns the parameters of cypher.ApprovalClaim.
func (s *Store) claimOf(ctx context.Context, q Report, asks approvalRules, violations []check.Violation,
	c claim) (graph.Params, error) {
	project := projectOf(ctx, c.project)
	b, err := s.bind(q.Action, q.Params, project)
	request := map[string]any{"uid": uid.New(), "agent": q.actor(), "action": b.action, "params": b.params,
		"key_id": b.keyID, "hidden": graph.List(b.hidden), "project": graph.NullIfEmpty(project),
		"why": approvalReason(violations), "verdict": c.verdict, "by_key": caller.Identity(trace.Actor("", q.By)),
		"stakes": c.stakes, "risk": graph.NullIfEmpty(c.risk), "only": graph.NullIfEmpty(c.only),
		"session": graph.NullIfEmpty(c.session.ID), "session_uid": graph.NullIfEmpty(c.session.UID)}
	return graph.Params{"key": caller.Identity(q.actor()), "hash": b.hash, "rules": asks.rules,
		"versions": asks.versions, "seconds": int64(approvalLifetime.Seconds()), "use": c.use, "create": c.create,
		"request": request}, err
}

// useGrant uses the grant that claim found in the transaction that stores what it allows. If a limit is exceeded there,
// the grant remains.
func (s *Store) useGrant(q Report, asks approvalRules, c claim) func(context.Context, *graph.Tx) (bool, error) {
	return func(ctx context.Context, tx *graph.Tx) (bool, error) {
		c.use, c.create = true, false
		p, err := s.claimOf(ctx, q, asks, nil, c)
		if err != nil {
			return false, err
		}
		found, err := graph.One[approvalRow](ctx, tx, cypher.ApprovalClaim, p)
		return found.State == "granted", err
	}
}

// await waits until a request was answered and the answer has taken effect, and reports whether it approves. It notices
// answers in this process immediately, and answers elsewhere within about a second.
func (s *Store) await(ctx context.Context, uid string, until time.Time) (bool, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	notifications, stop := s.graph.CommitNotifications("Approval")
	defer stop()
	var effective <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case <-effective:
		case notification := <-notifications:
			if !notification.Moved && !notification.Here {
				continue
			}
		}
		rows, err := graph.All[approvalRow](ctx, s.graph, cypher.ApprovalsFound,
			graph.Params{"uid": uid, "state": "", "limit": 1})
		if ctx.Err() != nil {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		effective = nil
		switch {
		case len(rows) == 0 || rows[0].State == "waiting":
		case rows[0].State == "granting":
			effective = time.After(rows[0].EffectiveAt.Sub(rows[0].Now)) // by the database's clock
		default:
			return true, nil
		}
	}
}
