package peers

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"nomograph/agents/client"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/internal/uid"
)

// AddRequest describes an agent to be added.
type AddRequest struct {
	Name     string `json:"name" jsonschema:"local name of the server" rule:"minLength=1,maxLength=200"`
	URL      string `json:"url" jsonschema:"URL, for example https://agent.example.com" rule:"minLength=1,maxLength=2000"`
	NoAnswer string `json:"no_answer,omitempty" jsonschema:"effect on a check if the server does not answer" rule:"enum=block|warn|ignore"`
	Listed   bool   `json:"listed,omitempty" jsonschema:"publish the agent in this server's registry"`
}

// AddResult is the added agent with its card.
type AddResult struct {
	Agent KnownAgent `json:"agent"`
	New   bool       `json:"new" jsonschema:"true if the server was not known before"`
	Notes []string   `json:"notes,omitempty"`
}

// Add adds or updates an agent and reads its card. An agent that does not answer is added nevertheless. It returns a
// conflict for a name that belongs to another address.
func (s *Store) Add(ctx context.Context, a AddRequest) (AddResult, error) {
	address, err := client.Address(a.URL)
	if err != nil {
		return AddResult{}, err
	}
	name := strings.TrimSpace(a.Name)
	if problem := caller.NameProblem(name); problem != "" {
		return AddResult{}, apperr.Newf(apperr.Validation, "%q is not a valid agent name: %s", name, problem).
			WithHint("Choose a name such as security")
	}
	all, err := s.All(ctx)
	if err != nil {
		return AddResult{}, err
	}
	for _, p := range all {
		if caller.SameAgent(p.Name, name) && p.URL != address {
			return AddResult{}, apperr.Newf(apperr.Conflict, "Agent '%s' already exists at %s", p.Name, p.URL).
				WithHint("Choose another name, or remove that agent first")
		}
	}
	stored, err := graph.Append[struct{ New bool }](ctx, s.graph, cypher.PeerAdd,
		graph.Params{"url": address, "uid": uid.New(), "name": name,
			"no_answer": graph.NullIfEmpty(a.NoAnswer), "listed": a.Listed})
	if err != nil {
		return AddResult{}, err
	}
	out := AddResult{New: stored.New}
	if !caller.From(ctx).Trusted { // the server's process reads it, not the caller
		out.Notes = append(out.Notes, "Put a token for it into the agents file of each server, with the same address")
	}
	if _, err := s.ReadCard(ctx, CardQuery{Agent: name}); err != nil {
		out.Notes = append(out.Notes, "The agent was added, but its card could not be read: "+apperr.From(err).Message)
	}
	if all, err = s.All(ctx); err != nil {
		return AddResult{}, err
	}
	p, _ := find(all, address)
	out.Agent = p.knownAgent()
	return out, nil
}

// RemoveRequest names the agent to be removed.
type RemoveRequest struct {
	Agent string `json:"agent" jsonschema:"name or URL" rule:"minLength=1,maxLength=2000"`
}

// RemoveResult says what was removed.
type RemoveResult struct {
	Name  string   `json:"name"`
	URL   string   `json:"url"`
	Notes []string `json:"notes,omitempty"`
}

// Remove removes an agent: it is neither queried nor notified any longer. Its earlier answers remain. It returns
// not_found, and a conflict for an agent of the agents file.
func (s *Store) Remove(ctx context.Context, r RemoveRequest) (RemoveResult, error) {
	all, err := s.All(ctx)
	if err != nil {
		return RemoveResult{}, err
	}
	p, ok := find(all, r.Agent)
	switch {
	case !ok:
		return RemoveResult{}, apperr.Newf(apperr.NotFound, "Agent '%s' not found", r.Agent).
			WithHint("List agents with `list_agents`")
	case p.Configured && !p.Added:
		return RemoveResult{}, apperr.Newf(apperr.Conflict, "Agent '%s' comes from the agents file", p.Name).
			WithHint("Remove it from %s", s.directory.Path())
	}
	if _, err := graph.Append[struct{}](ctx, s.graph, cypher.PeerRemove, graph.Params{"url": p.URL}); err != nil {
		return RemoveResult{}, err
	}
	out := RemoveResult{Name: p.Name, URL: p.URL}
	if p.Configured {
		out.Notes = append(out.Notes, "The agent is also in the agents file and is queried until you remove it there")
	}
	return out, nil
}

// CardQuery selects an agent's card.
type CardQuery struct {
	Agent string `json:"agent" jsonschema:"name or URL" rule:"minLength=1,maxLength=2000"`
}

// CardResult is an agent's card.
type CardResult struct {
	Agent      string      `json:"agent"`
	URL        string      `json:"url" jsonschema:"requested URL"`
	Card       client.Card `json:"card"`
	Guardrails []string    `json:"guardrails,omitempty" jsonschema:"names of its guardrails"`
	Notes      []string    `json:"notes,omitempty"`
}

// ReadCard reads an agent's card and, if allowed, the names of its guardrails, and stores both. It also asks an agent
// that did not answer recently.
func (s *Store) ReadCard(ctx context.Context, q CardQuery) (CardResult, error) {
	chosen, err := s.Select(ctx, Selection{Agents: []string{q.Agent}})
	if err != nil {
		return CardResult{}, err
	}
	p := chosen[0]
	p.Down = false
	found, err := s.client.Card(ctx, p.Agent)
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		s.RecordCall(ctx, p, err)
		return CardResult{}, err
	}
	out := CardResult{Agent: p.Name, URL: p.URL, Card: found}
	if err != nil {
		out.Notes = append(out.Notes, apperr.From(err).Message)
	}
	guardrails, err := s.guardrails(ctx, p)
	if err != nil {
		out.Notes = append(out.Notes, "Its guardrails could not be read: "+apperr.From(err).Message)
	}
	out.Guardrails = guardrails
	if !p.Configured && !p.Added {
		return out, nil
	}
	raw, err := json.Marshal(found)
	if err != nil {
		return CardResult{}, apperr.From(err)
	}
	_, err = graph.Append[struct{}](ctx, s.graph, cypher.PeerCard,
		graph.Params{"url": p.URL, "name": p.Name, "uid": uid.New(), "card": string(raw),
			"guardrails": graph.List(guardrails)})
	return out, err
}

const maxGuardrails = 1000

// guardrails reads the names of a peer's guardrails. They distinguish a contradiction from a rule that only one server
// has.
func (s *Store) guardrails(ctx context.Context, p Peer) ([]string, error) {
	var answer struct {
		Guardrails []struct{ ID, Name string }
	}
	if err := s.Call(ctx, p, "cstp.listGuardrails", map[string]any{}, &answer); err != nil {
		return nil, err
	}
	var names []string
	for _, g := range answer.Guardrails[:min(len(answer.Guardrails), maxGuardrails)] {
		if name := render.Cut(render.OneLine(cmp.Or(g.ID, g.Name)), 200); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}
