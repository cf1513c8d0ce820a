package exchange

import (
	"context"

	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/uid"
	"nomograph/trace"
)

// SubscribeRequest subscribes an agent to decisions that are shared with it.
type SubscribeRequest struct {
	AgentID string `json:"agent_id,omitempty" jsonschema:"local agent that subscribes (default the caller)" rule:"maxLength=200" claim:"agent"`
	All     bool   `json:"all,omitempty" jsonschema:"include decisions shared earlier"`
	Stop    bool   `json:"stop,omitempty" jsonschema:"end the subscription"`
	By      string `json:"-"`
}

// SubscribeResult names the subscriber.
type SubscribeResult struct {
	Agent      string `json:"agent"`
	URL        string `json:"url" jsonschema:"target URL"`
	Subscribed bool   `json:"subscribed"`
}

// Subscribe pushes decisions that are shared with an agent, and their outcomes, to the address known here: a caller
// cannot choose the address. It returns permission_denied for an unknown agent.
func (s *Store) Subscribe(ctx context.Context, q SubscribeRequest) (SubscribeResult, error) {
	who := caller.From(ctx)
	name := trace.Actor(q.AgentID, q.By)
	p, err := s.peerByName(ctx, name)
	if err != nil {
		return SubscribeResult{}, err
	}
	audience := caller.Key(name)
	if !who.Authenticated && !who.Trusted {
		audience = ""
	}
	var projects any
	if who.Limited() {
		projects = graph.List(who.Projects)
	}
	_, err = graph.Append[struct{}](ctx, s.graph, cypher.PeerSubscribe,
		graph.Params{"url": p.URL, "name": p.Name, "uid": uid.New(), "stop": q.Stop, "all": q.All,
			"audience": graph.NullIfEmpty(audience), "projects": projects})
	s.sentUntil.Delete(p.URL)
	return SubscribeResult{p.Name, p.URL, !q.Stop}, err
}

// peerByName returns the peer with a name.
func (s *Store) peerByName(ctx context.Context, name string) (peers.Peer, error) {
	all, err := s.peers.All(ctx)
	if err != nil {
		return peers.Peer{}, err
	}
	for _, p := range all {
		if caller.Key(p.Name) == caller.Key(name) {
			return p, nil
		}
	}
	return peers.Peer{}, apperr.Newf(apperr.PermissionDenied, "No agent has the name '%s' of your token", name).
		WithHint("Ask an administrator to add it with `add_agent` under the name of its token")
}

// FollowRequest names the peer whose shared decisions are wanted.
type FollowRequest struct {
	Agent string `json:"agent" jsonschema:"local name of the agent" rule:"minLength=1,maxLength=200"`
	All   bool   `json:"all,omitempty" jsonschema:"include decisions shared earlier"`
	Stop  bool   `json:"stop,omitempty" jsonschema:"stop following"`
}

// FollowResult names the peer that is followed.
type FollowResult struct {
	Agent     string `json:"agent"`
	URL       string `json:"url"`
	Following bool   `json:"following"`
}

// Follow asks a peer to push its shared decisions and accepts them from now on. Decisions of peers that are not
// followed are refused. It returns the errors of peers.Store.Select and of the peer.
func (s *Store) Follow(ctx context.Context, f FollowRequest) (FollowResult, error) {
	p, err := s.peerByName(ctx, f.Agent)
	if err != nil {
		return FollowResult{}, apperr.Newf(apperr.NotFound, "Agent '%s' not found", f.Agent).
			WithHint("List agents with `list_agents`, or add one with `add_agent`")
	}
	if f.Stop { // stop accepting first, whatever the peer answers
		if err := s.markFollowing(ctx, p, false); err != nil {
			return FollowResult{}, err
		}
	}
	var answer struct{ Subscribed bool }
	if err := s.peers.Call(ctx, p, "cstp.subscribe", map[string]any{"all": f.All, "stop": f.Stop},
		&answer); err != nil {
		s.peers.RecordCall(ctx, p, err)
		return FollowResult{}, err
	}
	if !f.Stop {
		if err := s.markFollowing(ctx, p, true); err != nil {
			return FollowResult{}, err
		}
	}
	return FollowResult{p.Name, p.URL, !f.Stop}, nil
}

func (s *Store) markFollowing(ctx context.Context, p peers.Peer, following bool) error {
	_, err := graph.Append[struct{}](ctx, s.graph, cypher.PeerFollow,
		graph.Params{"url": p.URL, "name": p.Name, "uid": uid.New(), "following": following})
	return err
}
