package federation

import (
	"cmp"
	"context"
	"maps"

	"nomograph/agents"
	"nomograph/agents/client"
	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/uid"
)

// Broadcast announces an intent to several servers.
type Broadcast struct {
	agents.Announcement
	peers.Selection
}

// Votes are the votes of other servers on an intent.
type Votes struct {
	CorrelationID    string      `json:"correlation_id"`
	IntentID         string      `json:"intent_id" jsonschema:"id for get_intent, which shows all votes"`
	Objections       []Violation `json:"objections" jsonschema:"violations here and on other servers"`
	SimilarDecisions []Decision  `json:"similar_decisions" jsonschema:"decisions of all servers in one ranking"`
	Suggestions      []VoteShown `json:"suggestions"`
	Agents           []Reply     `json:"agents" jsonschema:"result per server"`
	Notes            []string    `json:"notes,omitempty"`
}

// Denied reports whether any server objects.
func (h Votes) Denied() bool { return len(h.Objections) > 0 }

// VoteShown is one vote.
type VoteShown struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
}

// Reply is the result of notifying one server.
type Reply struct {
	peers.CallOutcome
	Allowed *bool `json:"allowed,omitempty" jsonschema:"absent if its guardrails were not queried; its agents may vote later"`
}

func replyOf(a peers.CallResult[decodedReply]) Reply {
	r := Reply{CallOutcome: a.Outcome()}
	if a.Err == nil && a.Answer.asked {
		r.Allowed = &a.Answer.allowed
	}
	return r
}

// reply is another server's response to an announcement.
type reply struct {
	Received         bool
	SimilarDecisions []Decision
	GuardrailStatus  *guardrailAnswer
	Suggestions      []string
}

// decodedReply is a decoded reply.
type decodedReply struct {
	peerVerdict
	asked       bool // the server's guardrails were checked
	similar     []Decision
	suggestions []string
}

// Broadcast stores an intent here, announces it to other servers, and returns their votes. Each vote is stored on the
// intent. Servers that did not answer are listed. It returns the errors of agents.Store.Announce and of
// peers.Store.Select.
func (s *Store) Broadcast(ctx context.Context, b Broadcast) (Votes, error) {
	chosen, err := s.peers.Select(ctx, b.Selection)
	if err != nil {
		return Votes{}, err
	}
	stored, err := s.announce(ctx, b.Announcement)
	if err != nil {
		return Votes{}, err
	}
	b.CorrelationID = stored.CorrelationID
	asked := s.notifyPeers(ctx, b.Announcement, chosen)
	if err := s.storeVotes(ctx, stored.IntentID, asked); err != nil {
		return Votes{}, err
	}
	out := mergeReplies(stored, asked)
	if stored.Repeated {
		out.Notes = append(out.Notes, "The intent was announced before; agents that know it are not notified again")
	}
	if len(chosen) == 0 {
		out.Notes = append(out.Notes, noServerKnown)
	}
	return out, nil
}

// announce stores and evaluates the intent here, so that it can be read later, whatever this server's settings say
// about received intents.
func (s *Store) announce(ctx context.Context, t agents.Announcement) (agents.AnnounceResult, error) {
	here := *s.agents
	here.Settings.StoreReceived, here.Settings.AutoRespond = true, true
	return here.Announce(ctx, agents.AnnounceRequest{Announcement: t})
}

// notifyPeers notifies peers in parallel.
func (s *Store) notifyPeers(ctx context.Context, t agents.Announcement,
	to []peers.Peer) []peers.CallResult[decodedReply] {
	t.Stakes, t.Facts = cmp.Or(t.Stakes, "medium"), nil // facts are for the rules here
	action := actionOf(t.Act())
	params := maps.Clone(action)
	params["intent"], params["correlationId"] = params["description"], t.CorrelationID
	delete(params, "description")
	if t.Context != "" {
		params["context"] = redact.Mask(t.Context)
	}
	if url := s.peers.URL(); url != "" {
		params["agent"] = map[string]any{"url": url}
	}
	return peers.Each(ctx, s.peers, to, func(ctx context.Context, p peers.Peer) (decodedReply, error) {
		return s.notifyPeer(ctx, p, params, action)
	})
}

// notifyPeer notifies one peer. A peer without intents is asked to check its guardrails.
func (s *Store) notifyPeer(ctx context.Context, p peers.Peer, params, action map[string]any) (decodedReply, error) {
	var answer reply
	err := s.peers.Call(ctx, p, "cstp.announceIntent", params, &answer)
	if client.IsMethodNotFound(err) {
		j, err := s.checkPeer(ctx, p, action)
		return decodedReply{peerVerdict: j, asked: err == nil}, err
	}
	if err != nil {
		return decodedReply{}, err
	}
	if !answer.Received {
		return decodedReply{}, apperr.Newf(apperr.Unavailable, "'%s' did not confirm the intent", p.Name).
			WithHint("Check the agent with `list_agents`, then announce again")
	}
	out := decodedReply{similar: sanitize(answer.SimilarDecisions)}
	for _, text := range answer.Suggestions[:min(len(answer.Suggestions), maxSuggestions)] {
		out.suggestions = append(out.suggestions, render.Cut(render.OneLine(redact.Mask(text)), 500))
	}
	if answer.GuardrailStatus != nil {
		if out.peerVerdict, err = answer.GuardrailStatus.verdict(p.Name); err != nil {
			return decodedReply{}, err
		}
		out.asked = true
	}
	return out, nil
}

const maxSuggestions = 10 // maximum for one server

// storeVotes stores the votes of other servers on the intent.
func (s *Store) storeVotes(ctx context.Context, intent string, asked []peers.CallResult[decodedReply]) error {
	var rows []any
	for _, a := range asked {
		if a.Err == nil && a.Answer.asked {
			rows = append(rows, map[string]any{"uid": uid.New(), "schema_version": 1, "agent": a.Name,
				"agent_key": caller.Key(a.Name), "peer": a.URL, "allowed": a.Answer.allowed,
				"reasons": graph.List(reasons(a.Answer.peerVerdict)), "auto": true})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := graph.Append[struct{}](context.WithoutCancel(ctx), s.graph, cypher.PeerVotesStore,
		graph.Params{"intent": intent, "voices": rows})
	return err
}

// mergeReplies merges all replies into one answer.
func mergeReplies(stored agents.AnnounceResult, asked []peers.CallResult[decodedReply]) Votes {
	out := Votes{CorrelationID: stored.CorrelationID, IntentID: stored.IntentID, Notes: stored.Notes}
	if stored.GuardrailStatus != nil {
		for _, o := range stored.GuardrailStatus.Violations {
			out.Objections = append(out.Objections, Violation{Agent: ownName, GuardrailID: o.GuardrailID,
				Message: o.Message, Severity: o.Severity, Suggestion: o.Suggestion})
		}
	}
	for _, text := range stored.Suggestions {
		out.Suggestions = append(out.Suggestions, VoteShown{ownName, text})
	}
	lists := []list{{Source{Agent: ownName}, similar(stored.SimilarDecisions)}}
	for _, a := range asked {
		r := replyOf(a)
		if r.Allowed != nil && !*r.Allowed { // warnings of a server that allows are no objections
			out.Objections = append(out.Objections, a.Answer.violations(a.Name)...)
		}
		for _, text := range a.Answer.suggestions {
			out.Suggestions = append(out.Suggestions, VoteShown{a.Name, text})
		}
		out.Agents = append(out.Agents, r)
		lists = append(lists, list{Source{Agent: a.Name, URL: a.URL}, a.Answer.similar})
	}
	fused := fuse(lists)
	sortDecisions(fused)
	out.SimilarDecisions = fused[:min(len(fused), defaultResults)]
	return out
}

// violations returns the violations on a server that answered. A denial has at least one.
func (j peerVerdict) violations(agent string) []Violation {
	if !j.allowed && len(j.objections) == 0 {
		return []Violation{{Agent: agent, GuardrailID: "unknown", Message: "It denies without a reason",
			Severity: "block"}}
	}
	return j.objections
}

func similar(all []agents.Similar) []Decision {
	return lists.Map(all, func(d agents.Similar) Decision { return toDecision(d.Shared) })
}
