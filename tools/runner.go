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

// Runner is what a transport has of an environment: it runs operations, and it tells the caller of changes. No store can be reached
// through it, so every read and write of a transport passes Operation.Run, which checks permission, project and arguments.
type Runner struct {
	env     *Env
	watcher *live.Watcher
}

// Runner gives what a transport gets of the environment.
func (e *Env) Runner() Runner { return Runner{e, live.NewWatcher(e.Live)} }

// Run runs an operation for the caller in ctx. Errors are those of Operation.Run.
func (r Runner) Run(ctx context.Context, o Operation, arguments json.RawMessage) (any, error) {
	select {
	case <-r.env.loaded():
	default:
		progress.Say(ctx, "Waiting until the atlases are loaded")
		select {
		case <-r.env.loaded():
		case <-ctx.Done():
			return nil, graph.AsError(ctx.Err())
		}
	}
	return o.Run(ctx, r.env, arguments)
}

// Listings says what the graph holds that makes a listing true: imported conversations, atlases. It says no more than that.
type Listings struct{ Conversations, Atlases bool }

// Lists reports whether tools/list has an operation of this listing.
func (l Listings) Lists(listing Listing) bool {
	switch listing {
	case ListedConversations:
		return l.Conversations
	case ListedAtlases:
		return l.Atlases
	case ListedNever:
		return false
	default:
		return true
	}
}

// FollowListings calls changed with the first listings, and after each commit that adds to them, by this process or another. Listings only grow:
// a client's list stays as it is until the server restarts. It returns when everything is listed or ctx ends; while the database is away it waits.
func (r Runner) FollowListings(ctx context.Context, changed func(Listings)) {
	notifications, stop := r.env.Graph.CommitNotifications("SYS_Change")
	defer stop()
	ctx = graph.Operation(ctx, "listings", "mcp")
	var known Listings
	for stale := true; ctx.Err() == nil && known != (Listings{true, true}); {
		select {
		case <-ctx.Done():
			return
		case n := <-notifications:
			if stale = stale || n.Moved; n.Err != nil || !stale {
				continue
			}
		}
		now, err := graph.One[Listings](ctx, r.env.Graph, cypher.ListingsRead, nil)
		if err != nil {
			continue // the next notification comes within a second
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

func (e *Env) loaded() <-chan struct{} {
	if e.Loading == nil {
		return nothingToLoad
	}
	return e.Loading
}

// Key is the secret that the servers of a graph share, for what a transport seals. It returns unavailable where there is none.
func (r Runner) Key() ([]byte, error) { return r.env.Sessions.Key() }

// Watch tells of changes of one policy or threshold until cancel. It returns permission_denied to a caller who may not read it.
func (r Runner) Watch(ctx context.Context, target live.Watched) (changes <-chan live.Observation, cancel func(), err error) {
	operation := "get_policy"
	if target.Kind == policies.KindThreshold {
		operation = "get_threshold"
	}
	o, _ := Find(Catalog, operation)
	if err := o.Permitted(caller.From(ctx)); err != nil {
		return nil, nil, err
	}
	changes, cancel = r.watcher.Subscribe(target)
	return changes, cancel, nil
}

// Subscribe tells the caller in ctx of events of the types that filter names and the caller may see; where it names none, of all that
// the caller may see. After nil, it begins now. It returns permission_denied where that leaves nothing, or where filter names a type
// that the caller may not see; other errors are those of events.Subscribe.
func (r Runner) Subscribe(ctx context.Context, filter events.Filter, after *events.Position) (*events.Subscription, error) {
	types, err := eventTypes(filter, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return r.env.Feed.Subscribe(ctx, events.Query{Filter: filter, Types: types, After: after})
}

// eventTypes are the types that a filter asks for and a caller may see: those whose operation the caller may call, and steps of the
// caller's own sessions.
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
			return nil, unseen(who, t)
		}
	}
	if len(seen) == 0 {
		return nil, unseen(who, types[0])
	}
	return seen, nil
}

func unseen(who caller.Caller, t events.Type) error {
	if !who.May(Read) {
		return apperr.New(apperr.PermissionDenied, "Events need the permission read").WithHint("Ask an administrator for a token with the permission").With("needs", Read)
	}
	return apperr.Newf(apperr.PermissionDenied, "Events of type %s need the permission to call `%s`", t.Name, t.Operation).
		WithHint("Leave the type out to get all events that you may see")
}
