package peers

import (
	"context"
	"time"

	"nomograph/agents/client"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// Settings say where other servers are found, and who asks them.
type Settings struct {
	File      string // of agents and their tokens; "" for none
	Name      string // under which this server asks where no token says who it is
	URL       string // where this server can be asked; "" where nobody said
	Version   string // of this program
	AllowHTTP bool   // tokens may go over a connection that others can read
}

// Store knows the peers of one graph and one file of agents.
type Store struct {
	settings  Settings
	graph     *graph.DB
	directory *client.Directory
	client    *client.Client
}

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, o Settings) *Store {
	c := client.New(o.Version)
	c.AllowHTTP, c.Name = o.AllowHTTP, o.Name
	return &Store{settings: o, graph: db, directory: client.NewDirectory(o.File), client: c}
}

// URL is where this server can be asked; "" where nobody said.
func (s *Store) URL() string { return s.settings.URL }

// Close ends connections that nobody uses.
func (s *Store) Close() { s.client.Close() }

// Peer is another server, and how it is known.
type Peer struct {
	client.Agent
	Configured bool      // in the file of agents
	Added      bool      // in the graph
	Listed     bool      // told to who asks for the registry
	Down       bool      // it did not answer just now, to whichever process
	SeenAt     time.Time // it answered; zero: never
	Card       client.Card
	Guardrails []string // that it said it has, when it was last looked at
	// Subscribed tells that it is sent shared decisions, Following that it was asked to send its own.
	Subscribed, Following bool
}

// row is a Peer node.
type row struct {
	Name, URL, Card, NoAnswer                  string
	Added, Listed, Down, Subscribed, Following bool
	SeenAt                                     *time.Time
	Guardrails                                 []any
}

// All gives every peer, those of the file first. It returns a validation_error for a file that cannot be used, and unavailable.
func (s *Store) All(ctx context.Context) ([]Peer, error) {
	listing, rows, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return merged(listing, rows), nil
}

func (s *Store) known(ctx context.Context) (client.AgentList, []row, error) {
	listing, err := s.directory.Read()
	if err != nil {
		return client.AgentList{}, nil, err
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.PeersKnown, nil)
	return listing, rows, err
}

// merged is what the file and the graph know together. Where both know an address, the file's name and settings hold; a name that the file
// has for another address is the file's.
func merged(listing client.AgentList, rows []row) []Peer {
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

// Selection says which agents are meant.
type Selection struct {
	Agents []string `json:"agents,omitempty" jsonschema:"names or URLs of the servers to ask; list_agents shows them" rule:"maxItems=50"`
	All    bool     `json:"all,omitempty" jsonschema:"ask all known servers"`
}

// Select gives the peers that are meant. It returns not_found for a name that nobody has, with the nearest ones; an address that is not
// known is for who may do everything.
func (s *Store) Select(ctx context.Context, w Selection) ([]Peer, error) {
	if len(w.Agents) == 0 && !w.All {
		return nil, apperr.New(apperr.Validation, "Nobody is asked").WithHint("Name agents, or say `all`; `list_agents` shows them")
	}
	listing, rows, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	all := merged(listing, rows)
	if w.All {
		return all, nil
	}
	var chosen []Peer
	seen := map[string]bool{}
	for _, meant := range w.Agents {
		p, found := find(all, meant)
		if !found {
			if p, err = s.stranger(ctx, listing, all, meant); err != nil {
				return nil, err
			}
		}
		if !seen[p.URL] {
			chosen, seen[p.URL] = append(chosen, p), true
		}
	}
	return chosen, nil
}

func find(all []Peer, meant string) (Peer, bool) {
	address, _ := client.Address(meant)
	for _, p := range all {
		if caller.Key(p.Name) == caller.Key(meant) || address != "" && p.URL == address {
			return p, true
		}
	}
	return Peer{}, false
}

// stranger is a peer that is known by the address alone that somebody gives.
func (s *Store) stranger(ctx context.Context, listing client.AgentList, all []Peer, meant string) (Peer, error) {
	address, err := client.Address(meant)
	if err != nil {
		names := make([]string, len(all))
		for i, p := range all {
			names[i] = p.Name
		}
		f := apperr.Newf(apperr.NotFound, "There is no agent '%s'", meant)
		if near := apperr.Nearest(meant, names); len(near) > 0 {
			return Peer{}, f.WithHint("Did you mean %s?", near[0])
		}
		return Peer{}, f.WithHint("`list_agents` shows them, and `add_agent` adds one")
	}
	if !caller.From(ctx).May(caller.Admin) {
		return Peer{}, apperr.New(apperr.PermissionDenied, "Nobody has added an agent at this address").
			WithHint("An administrator adds it with `add_agent`: servers ask nobody else at a caller's word")
	}
	return Peer{Agent: listing.Lookup(address, address)}, nil
}
