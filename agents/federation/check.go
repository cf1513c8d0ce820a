package federation

import (
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/agents/client"
	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/spelling"
	"nomograph/internal/uid"
	"nomograph/policies/check"
)

// Check is an action to be checked by the guardrails of this and other servers.
type Check struct {
	Description string           `json:"description" jsonschema:"what you are about to do; sent to the other servers" rule:"minLength=1,maxLength=10000"`
	Category    string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling, security, or your own" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"facts for rules, such as codeReviewCompleted; sent to the other servers"`
	Project     string           `json:"project,omitempty" jsonschema:"owner/repo; not sent" rule:"maxLength=200"`
	AgentID     string           `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By          string           `json:"-"`
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

// read decodes a peer's response. A blocking violation denies, even if the response says that the action is allowed.
func (a guardrailAnswer) read(of string) (peerVerdict, bool) {
	if a.Allowed == nil {
		return peerVerdict{}, false
	}
	j := peerVerdict{allowed: *a.Allowed, evaluated: a.Evaluated}
	seen := map[Violation]bool{}
	take := func(list []objected, fallback string) {
		for _, o := range list[:min(len(list), maxObjections)] {
			text := func(s string, maxLength int) string {
				return render.Cut(render.OneLine(redact.Mask(s)), maxLength)
			}
			one := Violation{Agent: of, GuardrailID: text(firstNonEmpty(o.GuardrailID, o.SnakeID, o.Name, "unknown"),
				200), Message: text(o.Message, 1000), Severity: o.Severity, Suggestion: text(o.Suggestion, 500)}
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
	return j, true
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// checkPeer checks the action on one peer.
func (s *Store) checkPeer(ctx context.Context, p peers.Peer, action map[string]any) (peerVerdict, error) {
	var answer guardrailAnswer
	if err := s.peers.Call(ctx, p, "cstp.checkGuardrails", map[string]any{"action": action}, &answer); err != nil {
		return peerVerdict{}, err
	}
	return verdictIn(answer, p)
}

func verdictIn(answer guardrailAnswer, p peers.Peer) (peerVerdict, error) {
	j, ok := answer.read(p.Name)
	if !ok {
		return peerVerdict{}, apperr.Newf(apperr.Unavailable, "'%s' did not say whether the action is allowed", p.Name).
			WithHint("Check the agent with `list_agents`, then try again")
	}
	return j, nil
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		own, ownErr = s.checks.CheckInSession(ctx, check.ActionCheck{Description: c.Description, Category: c.Category,
			Stakes: c.Stakes, Confidence: c.Confidence, Context: c.Context,
			Project: c.Project, AgentID: c.AgentID, By: c.By})
	}()
	action := actionOf(c.Description, c.Category, c.Stakes, c.Confidence, c.Context)
	asked := peers.Each(ctx, s.peers, chosen, func(ctx context.Context, p peers.Peer) (peerVerdict,
		error) {
		return s.checkPeer(ctx, p, action)
	})
	<-done
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
func actionOf(description, category, stakes string, confidence *float64, facts graph.Parameters) map[string]any {
	action := map[string]any{"description": redact.Mask(description)}
	for name, text := range map[string]string{"category": category, "stakes": stakes} {
		if text != "" {
			action[name] = redact.Mask(text)
		}
	}
	if confidence != nil {
		action["confidence"] = *confidence
	}
	if len(facts) > 0 {
		masked, _ := redact.Value(map[string]any(facts))
		action["context"] = masked
	}
	return action
}

// mergeVerdicts merges all verdicts into one.
func mergeVerdicts(own check.Verdict, asked []peers.CallResult[peerVerdict]) CheckResult {
	out := CheckResult{Allowed: own.Allowed, Violations: []Violation{}, Warnings: []Violation{},
		Contradictions: []Contradiction{}, Agents: []Verdict{}, VerdictID: own.VerdictID, At: own.At}
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
		}
		out.Allowed = out.Allowed && v.Allowed
		for _, o := range a.Answer.objections {
			out.add(o)
		}
		if a.Err == nil && !v.Allowed && len(a.Answer.objections) == 0 {
			out.add(Violation{Agent: a.Name, GuardrailID: "unknown", Message: "It denies without a reason",
				Severity: "block"})
		}
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
// it.
func (s *Store) contradictions(ctx context.Context, project string, own check.Verdict,
	asked []peers.CallResult[peerVerdict]) ([]Contradiction, error) {
	sides := []side{{agent: ownName, says: map[string]Violation{}, has: map[string]bool{}}}
	objected := false
	for _, list := range [][]check.Violation{own.Violations, own.Warnings} {
		for _, o := range list {
			sides[0].says[spelling.Name(o.GuardrailID)] = Violation{GuardrailID: o.GuardrailID, Message: o.Message,
				Severity: severity(o)}
			objected = true
		}
	}
	for _, a := range asked {
		if a.Err != nil {
			continue
		}
		one := side{agent: a.Name, says: map[string]Violation{}, has: map[string]bool{}}
		for _, o := range a.Answer.objections {
			if before, named := one.says[spelling.Name(o.GuardrailID)]; !named || before.Severity == "warn" {
				one.says[spelling.Name(o.GuardrailID)] = o
			}
			objected = true
		}
		for _, name := range a.Guardrails {
			one.has[spelling.Name(name)] = true
		}
		sides = append(sides, one)
	}
	out := []Contradiction{}
	if !objected {
		return out, nil
	}
	set, err := s.checks.Rules(ctx)
	if err == nil {
		for _, r := range set.InForce(project) {
			sides[0].has[spelling.Name(r.ID)] = true
		}
	}
	out = append(out, contradictionsBetween(sides)...)
	for _, one := range sides[1:] {
		for _, o := range one.says {
			for _, permit := range own.Permits {
				if o.Severity == "block" {
					out = append(out, Contradiction{o.GuardrailID, Side{one.agent, "block", o.Message},
						Side{ownName, "allow", permit}})
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

// side holds one server's results by guardrail name, and the guardrails that it has.
type side struct {
	agent string
	says  map[string]Violation
	has   map[string]bool
}

func (s side) about(name string) (Side, int) {
	o, objects := s.says[name]
	switch {
	case objects && o.Severity == "block":
		return Side{s.agent, "block", o.Message}, 3
	case objects:
		return Side{s.agent, "warn", o.Message}, 2
	case s.has[name]:
		return Side{Agent: s.agent, Says: "nothing"}, 1
	}
	return Side{}, 0
}

// contradictionsBetween compares each server's result with the strictest one.
func contradictionsBetween(sides []side) []Contradiction {
	var out []Contradiction
	done := map[string]bool{}
	for _, one := range sides {
		for name, o := range one.says {
			if done[name] {
				continue
			}
			done[name] = true
			var strictest Side
			limit := 0
			for _, s := range sides {
				if named, how := s.about(name); how > limit {
					strictest, limit = named, how
				}
			}
			for _, s := range sides {
				if named, how := s.about(name); how > 0 && how < limit {
					out = append(out, Contradiction{o.GuardrailID, strictest, named})
				}
			}
		}
	}
	return out
}
