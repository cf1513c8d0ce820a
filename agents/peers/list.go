package peers

import (
	"context"
	"time"

	"nomograph/agents/client"
	"nomograph/internal/caller"
)

// ListQuery asks for the known agents.
type ListQuery struct{}

// List holds the known agents.
type List struct {
	Agents []KnownAgent `json:"agents"`
	File   string       `json:"file,omitempty" jsonschema:"path of the agents file, which has their tokens"`
}

// KnownAgent is a known agent. Its token is never shown.
type KnownAgent struct {
	Name       string      `json:"name"`
	URL        string      `json:"url"`
	Source     string      `json:"source" jsonschema:"file, graph, or both"`
	State      string      `json:"state" jsonschema:"new (never asked), up, or down (no answer; skipped until its cooldown ends)"`
	NoAnswer   string      `json:"no_answer" jsonschema:"effect on a check if the server does not answer"`
	Listed     bool        `json:"listed,omitempty" jsonschema:"published in this server's registry"`
	SeenAt     *time.Time  `json:"seen_at,omitempty" jsonschema:"time of its last answer, to the minute"`
	Subscribed bool        `json:"subscribed,omitempty" jsonschema:"true if it receives decisions shared here"`
	Following  bool        `json:"following,omitempty" jsonschema:"true if its shared decisions are received here"`
	Card       client.Card `json:"card"`
}

func (p Peer) knownAgent() KnownAgent {
	k := KnownAgent{Name: p.Name, URL: p.URL, Source: "graph", State: "new", NoAnswer: string(p.NoAnswer),
		Listed: p.Listed, Subscribed: p.Subscribed, Following: p.Following, Card: p.Card}
	switch {
	case p.Configured && p.Added:
		k.Source = "both"
	case p.Configured:
		k.Source = "file"
	}
	if !p.SeenAt.IsZero() {
		k.State, k.SeenAt = "up", &p.SeenAt
	}
	if p.Down {
		k.State = "down"
	}
	return k
}

// Agents lists the known agents, those of the agents file first.
func (s *Store) Agents(ctx context.Context, _ ListQuery) (List, error) {
	all, err := s.All(ctx)
	list := List{Agents: make([]KnownAgent, len(all))}
	if caller.From(ctx).Trusted { // a path on this machine
		list.File = s.directory.Path()
	}
	for i, p := range all {
		list.Agents[i] = p.knownAgent()
	}
	return list, err
}
