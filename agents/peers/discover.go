package peers

import (
	"context"
	"fmt"
	"strings"

	"nomograph/agents/client"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/render"
)

// RegistryQuery asks for the agents that a server lists publicly.
type RegistryQuery struct{}

// Registry holds the agents that a server lists publicly.
type Registry struct {
	Agents []Entry `json:"agents"`
}

// Entry is an agent in a registry.
type Entry struct {
	Name        string `json:"name"`
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Registry returns the agents that were added as listed, to any caller.
func (s *Store) Registry(ctx context.Context, _ RegistryQuery) (Registry, error) {
	all, err := s.All(ctx)
	out := Registry{}
	for _, p := range all {
		if p.Listed {
			out.Agents = append(out.Agents, Entry{p.Name, p.URL, p.Card.Description})
		}
	}
	return out, err
}

// Discovery says where to search for agents.
type Discovery struct {
	Registry string `json:"registry,omitempty" jsonschema:"agent or URL of a registry (default all registries of the agents file)" rule:"maxLength=2000"`
}

// Discovered are the agents that registries list, with their cards. None of them is added.
type Discovered struct {
	Agents []Candidate `json:"agents"`
	Notes  []string    `json:"notes,omitempty"`
}

// Candidate is an agent that a registry lists.
type Candidate struct {
	Entry
	Registry string      `json:"registry" jsonschema:"registry that lists it"`
	Known    bool        `json:"known" jsonschema:"true if already known here"`
	Card     client.Card `json:"card"`
	Error    string      `json:"error,omitempty" jsonschema:"reason for a missing card"`
}

const maxCandidates = 100

// Discover reads registries and the cards of the agents that they list, without tokens. It adds nothing: a person does
// that.
func (s *Store) Discover(ctx context.Context, d Discovery) (Discovered, error) {
	listing, err := s.directory.Read()
	if err != nil {
		return Discovered{}, err
	}
	places := listing.Registries
	if d.Registry != "" {
		places = []string{d.Registry}
	} else if len(places) == 0 {
		return Discovered{}, apperr.New(apperr.Validation, "No registry is configured").
			WithHint("Name an agent or an address, or add `registries:` to %s", s.directory.Path())
	}
	all, err := s.All(ctx)
	if err != nil {
		return Discovered{}, err
	}
	out, seen := Discovered{}, map[string]bool{}
	for _, place := range places {
		entries, err := s.entries(ctx, place, d.Registry == "")
		if err != nil {
			out.Notes = append(out.Notes, place+": "+apperr.From(err).Message)
		}
		for _, e := range entries {
			if caller.NameProblem(e.Name) != "" {
				out.Notes = append(out.Notes, fmt.Sprintf("%s: %q is not a valid agent name, so it is left out", place,
					render.Cut(e.Name, 200)))
				continue
			}
			e.Name, e.Description = render.Cut(render.OneLine(e.Name), 200),
				render.Cut(render.OneLine(e.Description), 500)
			address, err := client.Address(e.URL)
			if err != nil || seen[address] || len(out.Agents) == maxCandidates {
				continue
			}
			e.URL, seen[address] = address, true
			_, ok := find(all, address)
			out.Agents = append(out.Agents, Candidate{Entry: e, Registry: place, Known: ok})
		}
	}
	candidates := lists.Map(out.Agents, func(c Candidate) Peer {
		return Peer{Agent: client.AgentList{Defaults: listing.Defaults}.Lookup(c.Name, c.URL)}
	})
	asked := each(ctx, candidates,
		func(ctx context.Context, p Peer) (client.Card, error) { return s.client.Card(ctx, p.Agent) })
	for i, a := range asked {
		if out.Agents[i].Card = a.Answer; a.Err != nil {
			out.Agents[i].Error = apperr.From(a.Err).Message
		}
	}
	return out, nil
}

// entries reads one registry: a server's, or a file in the format of the agents file, whose tokens are ignored.
func (s *Store) entries(ctx context.Context, place string, ofFile bool) ([]Entry, error) {
	if ofFile && !strings.Contains(place, "://") {
		listing, err := client.NewDirectory(place).Read()
		return lists.Map(listing.Agents, func(a client.Agent) Entry { return Entry{Name: a.Name, URL: a.URL} }), err
	}
	chosen, err := s.Select(ctx, Selection{Agents: []string{place}})
	if err != nil {
		return nil, err
	}
	var answer Registry
	err = s.Call(ctx, chosen[0], "cstp.listAgents", map[string]any{}, &answer)
	return answer.Agents, err
}
