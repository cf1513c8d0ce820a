package federation

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/agents"
	"nomograph/agents/client"
	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/uid"
	"nomograph/policies/check"
)

// Check is an action to be checked by the guardrails of this and other servers.
type Check struct {
	agents.Act
	peers.Selection
}

// CheckResult is the verdict of several servers: a block on any server blocks.
type CheckResult struct {
	Allowed        bool            `json:"allowed"`
	Violations     []Violation     `json:"violations" jsonschema:"blocking violations, here or on other servers"`
	Warnings       []Violation     `json:"warnings"`
	Contradictions []Contradiction `json:"contradictions" jsonschema:"guardrails with different results on two servers; the stricter one applies"`
	Agents         []Verdict       `json:"agents" jsonschema:"result per server"`
	VerdictID      string          `json:"verdict_id" jsonschema:"verdict of the local guardrails; stores the other servers' results too"`
	At             time.Time       `json:"at"`
	Notes          []string        `json:"notes,omitempty"`
}

// Denied reports whether the caller must stop.
func (c CheckResult) Denied() bool { return !c.Allowed }

// Violation is the violation of one guardrail on one server.
type Violation struct {
	Agent       string `json:"agent" jsonschema:"server of the guardrail; here for this server"`
	GuardrailID string `json:"guardrail_id"`
	Message     string `json:"message"`
	Severity    string `json:"severity" jsonschema:"block or warn"`
	Suggestion  string `json:"suggestion,omitempty"`
}

// Verdict is the verdict of one server.
type Verdict struct {
	peers.CallOutcome
	Allowed   bool   `json:"allowed" jsonschema:"for a server without an answer: the configured result"`
	Evaluated int    `json:"evaluated,omitempty" jsonschema:"number of evaluated guardrails"`
	CountsAs  string `json:"counts_as,omitempty" jsonschema:"effect of a server without an answer: block, warn or ignore"`
}

// Contradiction is a guardrail on which two servers disagree.
type Contradiction struct {
	GuardrailID string `json:"guardrail_id"`
	Stricter    Side   `json:"stricter" jsonschema:"the stricter result, which applies"`
	Laxer       Side   `json:"laxer"`
}

// Side is the result of a guardrail on one server.
type Side struct {
	Agent   string `json:"agent"`
	Says    string `json:"says" jsonschema:"block, warn, allow (a rule permits it) or nothing (its guardrail is not violated)"`
	Message string `json:"message,omitempty"`
}

// guardrailAnswer is a peer's response to a check, with both spellings of field names in use.
type guardrailAnswer struct {
	Allowed    *bool
	Violations []objected
	Warnings   []objected
	Evaluated  int
}

type objected struct {
	GuardrailID string `json:"guardrailId"`
	SnakeID     string `json:"guardrail_id"`
	Name        string
	Message     string
	Severity    string
	Suggestion  string
}

const maxObjections = 100 // maximum for one server

// peerVerdict is a peer's verdict on an action.
type peerVerdict struct {
	allowed    bool
	evaluated  int
	objections []Violation
}

// verdict decodes a peer's response. A blocking violation denies, even if the response says that the action is allowed.
func (a guardrailAnswer) verdict(of string) (peerVerdict, error) {
	if a.Allowed == nil {
		return peerVerdict{}, apperr.Newf(apperr.Unavailable, "'%s' did not say whether the action is allowed", of).
			WithHint("Check the agent with `list_agents`, then try again")
	}
	j := peerVerdict{allowed: *a.Allowed, evaluated: a.Evaluated}
	seen := map[Violation]bool{}
	take := func(list []objected, fallback string) {
		for _, o := range list[:min(len(list), maxObjections)] {
			text := func(s string, maxLength int) string {
				return render.Cut(render.OneLine(redact.Mask(s)), maxLength)
			}
			id := cmp.Or(text(o.GuardrailID, 200), text(o.SnakeID, 200), text(o.Name, 200), "unknown")
			one := Violation{Agent: of, GuardrailID: id, Message: text(o.Message, 1000), Severity: o.Severity,
				Suggestion: text(o.Suggestion, 500)}
			if one.Severity != "block" && one.Severity != "warn" {
				one.Severity = fallback
			}
			if !seen[one] {
				j.objections, seen[one] = append(j.objections, one), true
			}
			j.allowed = j.allowed && one.Severity != "block"
		}
	}
	take(a.Violations, "block")
	take(a.Warnings, "warn")
	return j, nil
}

// checkPeer checks the action on one peer.
func (s *Store) checkPeer(ctx context.Context, p peers.Peer, action map[string]any) (peerVerdict, error) {
	var answer guardrailAnswer
	if err := s.peers.Call(ctx, p, "cstp.checkGuardrails", map[string]any{"action": action}, &answer); err != nil {
		return peerVerdict{}, err
	}
	return answer.verdict(p.Name)
}

// Check evaluates the guardrails here and on other servers in parallel. The action is allowed if every server that
// answers allows it; servers that do not answer count as configured. Each verdict is stored before the answer is
// returned. It returns the errors of check.Store.Check and of peers.Store.Select, which say allowed: false.
func (s *Store) Check(ctx context.Context, c Check) (CheckResult, error) {
	chosen, err := s.peers.Select(ctx, c.Selection)
	if err != nil {
		return CheckResult{}, apperr.From(err).Deny()
	}
	var own check.Verdict
	var ownErr error
	var checking sync.WaitGroup
	checking.Go(func() { own, ownErr = s.checks.CheckInSession(ctx, c.Check()) })
	action := actionOf(c.Act)
	asked := peers.Each(ctx, s.peers, chosen, func(ctx context.Context, p peers.Peer) (peerVerdict,
		error) {
		return s.checkPeer(ctx, p, action)
	})
	checking.Wait()
	if ownErr != nil {
		return CheckResult{}, apperr.From(ownErr).Deny()
	}
	out := mergeVerdicts(own, asked)
	if out.Contradictions, err = s.contradictions(ctx, c.Project, own, asked); err != nil {
		out.Notes = append(out.Notes, "Contradictions with the guardrails of this server were not searched: "+
			apperr.From(err).Message)
	}
	if len(chosen) == 0 {
		out.Notes = append(out.Notes, noServerKnown)
	}
	if err := s.storeVerdicts(ctx, own, asked, out); err != nil {
		return CheckResult{}, apperr.From(err).Deny()
	}
	return out, nil
}

// actionOf returns the description of an action for other servers: what the caller wrote for them, with secrets masked.
func actionOf(a agents.Act) map[string]any {
	action := map[string]any{"description": redact.Mask(a.Description)}
	for name, text := range map[string]string{"category": a.Category, "stakes": a.Stakes} {
		if text != "" {
			action[name] = redact.Mask(text)
		}
	}
	if a.Confidence != nil {
		action["confidence"] = *a.Confidence
	}
	if len(a.Context) > 0 {
		masked, _ := redact.Value(map[string]any(a.Context))
		action["context"] = masked
	}
	return action
}

// mergeVerdicts merges all verdicts into one.
func mergeVerdicts(own check.Verdict, asked []peers.CallResult[peerVerdict]) CheckResult {
	out := CheckResult{Allowed: own.Allowed, VerdictID: own.VerdictID, At: own.At}
	for _, list := range [][]check.Violation{own.Violations, own.Warnings} {
		for _, o := range list {
			out.add(Violation{Agent: ownName, GuardrailID: o.GuardrailID, Message: o.Message, Severity: severity(o)})
		}
	}
	for _, a := range asked {
		v := Verdict{CallOutcome: a.Outcome(), Allowed: a.Answer.allowed, Evaluated: a.Answer.evaluated}
		if a.Err != nil {
			v.CountsAs, v.Allowed = string(a.NoAnswer), a.NoAnswer != client.Block
			if a.NoAnswer != client.Ignore {
				out.add(Violation{Agent: a.Name, GuardrailID: "no_answer", Message: apperr.From(a.Err).Message,
					Severity: v.CountsAs})
			}
		} else {
			for _, o := range a.Answer.violations(a.Name) {
				out.add(o)
			}
		}
		out.Allowed = out.Allowed && v.Allowed
		out.Agents = append(out.Agents, v)
	}
	return out
}

func severity(o check.Violation) string {
	if o.Severity == "warn" {
		return "warn"
	}
	return "block" // an action that needs a person's approval is blocked, too
}

func (c *CheckResult) add(o Violation) {
	if o.Severity == "warn" {
		c.Warnings = append(c.Warnings, o)
	} else {
		c.Violations = append(c.Violations, o)
	}
}

// storeVerdicts stores the verdicts of other servers with the local verdict.
func (s *Store) storeVerdicts(ctx context.Context, own check.Verdict, asked []peers.CallResult[peerVerdict],
	out CheckResult) error {
	rows := make([]any, len(asked))
	for i, a := range asked {
		row := map[string]any{"uid": uid.New(), "schema_version": 1, "peer": a.URL, "agent": a.Name,
			"answered": a.Err == nil, "allowed": out.Agents[i].Allowed, "reasons": graph.List(reasons(a.Answer))}
		if a.Err != nil {
			row["counts_as"], row["error"] = out.Agents[i].CountsAs, apperr.From(a.Err).Message
		}
		rows[i] = row
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := graph.Append[struct{}](context.WithoutCancel(ctx), s.graph, cypher.PeerVerdictsStore,
		graph.Params{"verdict": own.VerdictID, "rows": rows})
	return err
}

// reasons returns a server's violations, one line each.
func reasons(j peerVerdict) []string {
	var out []string
	for _, o := range j.objections {
		out = append(out, o.Severity+" "+o.GuardrailID+": "+o.Message)
	}
	return out
}

// contradictions finds guardrails of the same name with different results on two servers, and local rules that permit
// what another server forbids. A server that reports no result for a guardrail contradicts only if it is known to have
// it. Of several servers, the strictest result is compared with the others.
func (s *Store) contradictions(ctx context.Context, project string, own check.Verdict,
	asked []peers.CallResult[peerVerdict]) ([]Contradiction, error) {
	results, ids := map[string]map[string]Side{}, map[string]string{} // by guardrail, and by server
	strictness := func(s Side) int { return slices.Index([]string{"nothing", "warn", "block"}, s.Says) }
	add := func(agent, id, says, message string) {
		name := normalize.Name(id)
		if says != "nothing" && results[name] == nil {
			results[name], ids[name] = map[string]Side{}, id
		}
		if one := (Side{agent, says, message}); results[name] != nil &&
			strictness(one) > strictness(results[name][agent]) {
			results[name][agent] = one
		}
	}
	for _, o := range slices.Concat(own.Violations, own.Warnings) {
		add(ownName, o.GuardrailID, severity(o), o.Message)
	}
	for _, a := range asked {
		for _, o := range a.Answer.objections {
			add(a.Name, o.GuardrailID, o.Severity, o.Message)
		}
	}
	out := []Contradiction{}
	if len(results) == 0 {
		return out, nil
	}
	for _, a := range asked {
		for _, name := range a.Guardrails {
			if a.Err == nil {
				add(a.Name, name, "nothing", "")
			}
		}
	}
	set, err := s.checks.Rules(ctx)
	if err == nil {
		for _, r := range set.InForce(project) {
			add(ownName, r.ID, "nothing", "")
		}
	}
	for name, sides := range results {
		all := slices.SortedFunc(maps.Values(sides), func(a, b Side) int {
			return cmp.Or(strictness(b)-strictness(a), strings.Compare(a.Agent, b.Agent))
		})
		for _, one := range all {
			if strictness(one) < strictness(all[0]) {
				out = append(out, Contradiction{ids[name], all[0], one})
			}
			for _, permit := range own.Permits {
				if one.Says == "block" && one.Agent != ownName {
					out = append(out, Contradiction{ids[name], one, Side{ownName, "allow", permit}})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Contradiction) int {
		return strings.Compare(a.GuardrailID+a.Stricter.Agent+a.Laxer.Agent,
			b.GuardrailID+b.Stricter.Agent+b.Laxer.Agent)
	})
	return out, err
}
