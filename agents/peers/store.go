package peers

import (
	"context"
	"time"

	"nomograph/agents/client"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
)

// Settings say where other servers are configured and under which name this server calls them.
type Settings struct {
	File      string // path of the agents file, which holds tokens; "" for none
	Name      string // agent name of this server for peers without a token
	URL       string // address of this server; "" if unknown
	Version   string // version of this program
	AllowHTTP bool   // allow tokens over unencrypted connections
}

// Store manages the peers of one graph and one agents file.
type Store struct {
	settings  Settings
	graph     *graph.DB
	directory *client.Directory
	client    *client.Client
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, o Settings) *Store {
	c := client.New(o.Version)
	c.AllowHTTP, c.Name = o.AllowHTTP, o.Name
	return &Store{settings: o, graph: db, directory: client.NewDirectory(o.File), client: c}
}

// URL returns the public URL of this server, "" if it is not configured.
func (s *Store) URL() string { return s.settings.URL }

// Close closes idle connections.
func (s *Store) Close() { s.client.Close() }

// Peer is another server and how it is known.
type Peer struct {
	client.Agent
	Stored
	Configured bool // listed in the agents file
	Card       client.Card
}

// Stored is what the graph knows about a peer.
type Stored struct {
	Added      bool      // stored as an agent
	Listed     bool      // part of the public registry
	Down       bool      // the peer did not answer any process recently
	SeenAt     time.Time // last answer; zero: never
	Guardrails []string  // names of its guardrails at the last read
	// Subscribed means that this server pushes shared decisions to the peer, Following that it asked the peer to push
	// its own.
	Subscribed, Following bool
}

// row is a Peer node.
type row struct {
	Name, URL, Card, NoAnswer string
	Stored                    `mapstructure:",squash"`
}

// All returns every peer, those of the agents file first. It returns a validation_error for an invalid file, and
// unavailable.
func (s *Store) All(ctx context.Context) ([]Peer, error) {
	listing, rows, err := s.readAgents(ctx)
	if err != nil {
		return nil, err
	}
	return merge(listing, rows), nil
}

func (s *Store) readAgents(ctx context.Context) (client.AgentList, []row, error) {
	listing, err := s.directory.Read()
	if err != nil {
		return client.AgentList{}, nil, err
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.PeersKnown, nil)
	return listing, rows, err
}

// merge combines the file and the graph. If both have an address, the name and settings of the file win. A name that
// the file gives to another address belongs to the file.
func merge(listing client.AgentList, rows []row) []Peer {
	byURL := map[string]row{}
	for _, r := range rows {
		byURL[r.URL] = r
	}
	var all []Peer
	names := map[string]bool{}
	for _, a := range listing.Agents {
		p := byURL[a.URL].peer(a)
		p.Configured = true
		all, names[caller.Key(a.Name)] = append(all, p), true
		delete(byURL, a.URL)
	}
	for _, r := range rows {
		if _, left := byURL[r.URL]; left && r.Added && !names[caller.Key(r.Name)] {
			a := listing.Lookup(r.Name, r.URL)
			if r.NoAnswer != "" {
				a.NoAnswer = client.NoAnswer(r.NoAnswer)
			}
			all, names[caller.Key(r.Name)] = append(all, r.peer(a)), true
		}
	}
	return all
}

// Selection names agents.
type Selection struct {
	Agents []string `json:"agents,omitempty" jsonschema:"names or URLs of the servers to ask; see list_agents" rule:"maxItems=50"`
	All    bool     `json:"all,omitempty" jsonschema:"ask all known servers"`
}

// Select returns the named peers. It returns not_found for an unknown name, with similar names. Only an administrator
// may name an unknown address.
func (s *Store) Select(ctx context.Context, w Selection) ([]Peer, error) {
	if len(w.Agents) == 0 && !w.All {
		return nil, apperr.New(apperr.Validation, "No agent is named").
			WithHint("Name agents or pass `all`; list agents with `list_agents`")
	}
	listing, rows, err := s.readAgents(ctx)
	if err != nil {
		return nil, err
	}
	all := merge(listing, rows)
	if w.All {
		return all, nil
	}
	var chosen []Peer
	seen := map[string]bool{}
	for _, name := range w.Agents {
		p, ok := find(all, name)
		if !ok {
			if p, err = s.peerByAddress(ctx, listing, all, name); err != nil {
				return nil, err
			}
		}
		if !seen[p.URL] {
			chosen, seen[p.URL] = append(chosen, p), true
		}
	}
	return chosen, nil
}

func find(all []Peer, name string) (Peer, bool) {
	address, _ := client.Address(name)
	for _, p := range all {
		if caller.Key(p.Name) == caller.Key(name) || address != "" && p.URL == address {
			return p, true
		}
	}
	return Peer{}, false
}

// peerByAddress returns a peer that is known only by the address in the request.
func (s *Store) peerByAddress(ctx context.Context, listing client.AgentList, all []Peer, name string) (Peer, error) {
	address, err := client.Address(name)
	if err != nil {
		names := lists.Map(all, func(p Peer) string { return p.Name })
		f := apperr.Newf(apperr.NotFound, "Agent '%s' not found", name)
		if near := apperr.Nearest(name, names); len(near) > 0 {
			return Peer{}, f.WithHint("Did you mean %s?", near[0])
		}
		return Peer{}, f.WithHint("`list_agents` shows them, and `add_agent` adds one")
	}
	if !caller.From(ctx).May(caller.Admin) {
		return Peer{}, apperr.New(apperr.PermissionDenied, "No agent is registered at this address").
			WithHint("Ask an administrator to add it with `add_agent`. Servers call only registered agents")
	}
	return Peer{Agent: listing.Lookup(address, address)}, nil
}
