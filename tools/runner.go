package tools

import (
	"context"
	"encoding/json"

	"nomograph/cypher"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/progress"
	"nomograph/policies"
	"nomograph/policies/live"
)

// Runner is the interface of the application for transports: it runs operations and subscribes to changes. It gives no
// access to stores, so all reads and writes pass Operation.Run, which checks permission, project and arguments.
type Runner struct{ app *App }

// Runner returns the interface for transports.
func (a *App) Runner() Runner { return Runner{a} }

// Run runs an operation for the caller in ctx. It returns the errors of Operation.Run.
func (r Runner) Run(ctx context.Context, o Operation, arguments json.RawMessage) (any, error) {
	select {
	case <-r.app.loaded():
	default:
		progress.Say(ctx, "Waiting until the atlases are loaded")
		select {
		case <-r.app.loaded():
		case <-ctx.Done():
			return nil, graph.AsError(ctx.Err())
		}
	}
	return o.Run(ctx, r.app, arguments)
}

// Listings says which listing conditions hold: whether the graph contains imported conversations, and atlases.
type Listings struct{ Conversations, Atlases bool }

// Lists reports whether tools/list includes operations with this listing.
func (l Listings) Lists(listing Listing) bool {
	return map[Listing]bool{ListedAlways: true, ListedConversations: l.Conversations, ListedAtlases: l.Atlases}[listing]
}

// Listings reads which listing conditions hold.
func (r Runner) Listings(ctx context.Context) (Listings, error) {
	return graph.One[Listings](graph.Operation(ctx, "listings", "mcp"), r.app.Graph, cypher.ListingsRead, nil)
}

// FollowListings calls changed when more is listed than is known, now and after each commit by any process. Listings
// only grow, so a client's list stays valid until the server restarts. It returns when everything is listed or ctx
// ends. While the database is unavailable, it waits.
func (r Runner) FollowListings(ctx context.Context, known Listings, changed func(Listings)) {
	notifications, stop := r.app.Graph.CommitNotifications("SYS_Change")
	defer stop()
	for stale := true; ctx.Err() == nil && known != (Listings{true, true}); {
		select {
		case <-ctx.Done():
			return
		case n := <-notifications:
			if stale = stale || n.Moved; n.Err != nil || !stale {
				continue
			}
		}
		now, err := r.Listings(ctx)
		if err != nil {
			continue // the next notification arrives within a second
		}
		stale = false
		now.Conversations, now.Atlases = now.Conversations || known.Conversations, now.Atlases || known.Atlases
		if now != known {
			known = now
			changed(known)
		}
	}
}

var nothingToLoad = func() <-chan struct{} { done := make(chan struct{}); close(done); return done }()

func (a *App) loaded() <-chan struct{} {
	if a.Loading == nil {
		return nothingToLoad
	}
	return a.Loading
}

// Key returns the secret that all servers of a graph share, for data that a transport seals. It returns unavailable if
// there is none.
func (r Runner) Key() ([]byte, error) { return r.app.Sessions.Key() }

// AnswersInCards reports whether the user of the caller's client may answer approvals in cards.
func (r Runner) AnswersInCards(ctx context.Context) bool {
	return r.app.AnswerInCards && r.app.trustsClient(ctx)
}

// Watch returns changes of a policy or threshold until cancel is called. It returns permission_denied if the caller may
// not read it.
func (r Runner) Watch(ctx context.Context, target live.Watched) (changes <-chan live.Observation, cancel func(),
	err error) {
	operation := "get_policy"
	if target.Kind == policies.KindThreshold {
		operation = "get_threshold"
	}
	o, _ := Find(Catalog, operation)
	if err := o.Permitted(caller.From(ctx)); err != nil {
		return nil, nil, err
	}
	changes, cancel = r.app.Live.Subscribe(target)
	return changes, cancel, nil
}

// Subscribe returns events that the caller in ctx may see, of the types in filter or of all types. It starts after the
// given position, or now if after is nil. It returns permission_denied if no type remains, or if filter names a type
// that the caller may not see. It also returns the errors of events.Feed.Subscribe.
func (r Runner) Subscribe(ctx context.Context, filter events.Filter, after *events.Position) (*events.Subscription,
	error) {
	types, err := eventTypes(filter, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return r.app.Feed.Subscribe(ctx, events.Query{Filter: filter, Types: types, After: after})
}

// eventTypes returns the types of a filter that a caller may see: those whose operation the caller may call, and steps
// of the caller's own sessions.
func eventTypes(f events.Filter, who caller.Caller) ([]events.Type, error) {
	types, err := f.ChosenTypes()
	if err != nil {
		return nil, err
	}
	var seen []events.Type
	for _, t := range types {
		own := t.Asked && f.AgentID != "" && who.Is(f.AgentID) && who.May(Read)
		if o, _ := Find(Catalog, t.Operation); own || o.Permits(who) {
			seen = append(seen, t)
		} else if len(f.Types) > 0 {
			return nil, mayNotSee(who, t)
		}
	}
	if len(seen) == 0 {
		return nil, mayNotSee(who, types[0])
	}
	return seen, nil
}

func mayNotSee(who caller.Caller, t events.Type) error {
	if !who.May(Read) {
		return apperr.New(apperr.PermissionDenied, "Events need the permission read").
			WithHint("Ask an administrator for a token with the permission").With("needs", Read)
	}
	return apperr.Newf(apperr.PermissionDenied, "Events of type %s need the permission to call `%s`", t.Name,
		t.Operation).
		WithHint("Leave the type out to get all events that you may see")
}
