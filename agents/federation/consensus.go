package federation

import (
	"cmp"
	"context"
	"time"

	"nomograph/agents"
	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/policies/check"
	"nomograph/trace"
)

// ConsensusRequest asks named servers for agreement before an action.
type ConsensusRequest struct {
	agents.Announcement
	Agents         []string `json:"agents" jsonschema:"names or URLs of the servers that must agree" rule:"minItems=1,maxItems=50"`
	Quorum         int      `json:"quorum,omitempty" jsonschema:"number of required agreements (default all)" rule:"minimum=1,maximum=50"`
	TimeoutSeconds int      `json:"timeout_seconds,omitempty" jsonschema:"seconds to wait for votes; until then, agents can also vote with answer_intent" rule:"minimum=1,maximum=600,default=60"`
	ValidSeconds   int      `json:"valid_seconds,omitempty" jsonschema:"seconds for which rules see a reached consensus" rule:"minimum=1,maximum=604800,default=3600"`
}

// Consensus is the result, with every vote that counts.
type Consensus struct {
	IntentID      string        `json:"intent_id" jsonschema:"id of the consensus for get_intent, which shows all votes"`
	CorrelationID string        `json:"correlation_id"`
	State         string        `json:"state" jsonschema:"reached or failed"`
	Quorum        int           `json:"quorum"`
	Agreed        []string      `json:"agreed" jsonschema:"servers that agreed"`
	Objected      []string      `json:"objected"`
	Silent        []string      `json:"silent" jsonschema:"servers without a vote in time"`
	Votes         []agents.Vote `json:"votes" jsonschema:"newest vote per server, with reasons"`
	ValidUntil    *time.Time    `json:"valid_until,omitempty" jsonschema:"time until which rules see it"`
	Agents        []Reply       `json:"agents" jsonschema:"result per server"`
	Notes         []string      `json:"notes,omitempty"`
}

// Denied reports whether there is no consensus.
func (c Consensus) Denied() bool { return c.State != Reached }

// Reached is the State of a consensus that was reached.
const Reached = "reached"

const (
	defaultTimeout  = time.Minute
	defaultValidity = time.Hour
	pollInterval    = 500 * time.Millisecond // between two reads of the votes
)

// voteCount is the current tally of a consensus.
type voteCount struct {
	Consensus    `mapstructure:",squash"`
	AskedServers []any            `mapstructure:"asked"`
	Voices       []map[string]any // votes, as stored
}

// Consensus announces an intent to named servers and waits until enough agree, until agreement has become impossible,
// or until the timeout. The consensus is stored as the intent with every vote. A vote counts if the server itself gave
// it: in response to the announcement, or later through answer_intent with a token of the server's name. A consensus is
// valid for this agent and this action, as check.ConsensusKey identifies them. A request with the correlation id of a
// finished consensus returns that one.
func (s *Store) Consensus(ctx context.Context, q ConsensusRequest) (Consensus, error) {
	chosen, err := s.peers.Select(ctx, peers.Selection{Agents: q.Agents})
	if err != nil {
		return Consensus{}, apperr.From(err).Deny()
	}
	if redact.Mask(q.Intent) != q.Intent {
		return Consensus{}, apperr.New(apperr.Validation,
			"The intent contains a secret, which is masked, so others cannot agree to it").
			WithHint("Remove the secret from the intent").Deny()
	}
	quorum := cmp.Or(q.Quorum, len(chosen))
	if quorum > len(chosen) {
		return Consensus{}, apperr.Newf(apperr.Validation, "%d agents cannot reach a quorum of %d", len(chosen),
			quorum).WithHint("Name more agents, or lower the quorum").Deny()
	}
	stored, err := s.announce(ctx, q.Announcement)
	if err != nil {
		return Consensus{}, apperr.From(err).Deny()
	}
	q.CorrelationID = stored.CorrelationID
	wait := cmp.Or(time.Duration(q.TimeoutSeconds)*time.Second, defaultTimeout)
	key := check.ConsensusKey(trace.Actor(q.AgentID, q.By), q.Intent, q.Category, q.Stakes)
	names, keys := make([]string, len(chosen)), make([]string, len(chosen))
	for i, p := range chosen {
		names[i], keys[i] = p.Name, caller.Key(p.Name)
	}
	started, err := graph.Append[struct{ State string }](ctx, s.graph, cypher.ConsensusBegin,
		graph.Params{"intent": stored.IntentID, "key": key, "quorum": quorum, "asked": graph.List(names),
			"keys": graph.List(keys), "milliseconds": wait.Milliseconds()})
	if err != nil {
		return Consensus{}, apperr.From(err).Deny()
	}
	var replies []Reply
	if started.State == "open" {
		if replies, err = s.collect(ctx, q, stored.IntentID, chosen, quorum, wait); err != nil {
			return Consensus{}, apperr.From(err).Deny()
		}
	}
	valid := cmp.Or(time.Duration(q.ValidSeconds)*time.Second, defaultValidity)
	settled, err := graph.Append[voteCount](context.WithoutCancel(ctx), s.graph, cypher.ConsensusFinish,
		graph.Params{"intent": stored.IntentID, "milliseconds": valid.Milliseconds()})
	if err != nil {
		return Consensus{}, apperr.From(err).Deny()
	}
	settled.tally()
	out := settled.Consensus
	out.IntentID, out.CorrelationID, out.Agents = stored.IntentID, stored.CorrelationID, replies
	out.Notes = stored.Notes
	for _, v := range settled.Voices {
		out.Votes = append(out.Votes, agents.VoteOf(v))
	}
	if out.Agents == nil {
		out.Notes = append(out.Notes, "This consensus was decided before")
	}
	if stored.GuardrailStatus != nil && !stored.GuardrailStatus.Allowed {
		out.Notes = append(out.Notes, "A guardrail of this server blocks the action: `check_action` says why")
	}
	return out, nil
}

// collect notifies the servers and waits for votes.
func (s *Store) collect(ctx context.Context, q ConsensusRequest, intent string, chosen []peers.Peer, quorum int,
	wait time.Duration) ([]Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	asked := s.notifyPeers(ctx, q.Announcement, chosen)
	if err := s.storeVotes(ctx, intent, asked); err != nil {
		return nil, err
	}
	replies := lists.Map(asked, replyOf)
	for {
		now, err := graph.One[voteCount](context.WithoutCancel(ctx), s.graph, cypher.ConsensusCount,
			graph.Params{"intent": intent})
		if err != nil {
			return nil, err
		}
		// A server that objected can change its vote, but waiting for that is pointless.
		if now.tally(); len(now.Agreed) >= quorum || len(now.Agreed)+len(now.Silent) < quorum {
			return replies, nil
		}
		select {
		case <-ctx.Done():
			return replies, nil
		case <-time.After(pollInterval):
		}
	}
}

// tally counts the servers that agreed, objected and did not answer.
func (c *voteCount) tally() {
	c.Agreed, c.Objected, c.Silent = []string{}, []string{}, []string{}
	named := map[string]bool{}
	for _, v := range c.Voices {
		name := graph.Text(v, "agent")
		named[caller.Identity(name)] = true
		if allowed, _ := v["allowed"].(bool); allowed {
			c.Agreed = append(c.Agreed, name)
		} else {
			c.Objected = append(c.Objected, name)
		}
	}
	for _, name := range graph.Texts(c.AskedServers) {
		if !named[caller.Identity(name)] {
			c.Silent = append(c.Silent, name)
		}
	}
}
