package live

import (
	"context"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// pollTimeout is the timeout of one read; a connection that hangs counts as lost.
const pollTimeout = 10 * time.Second

// Subscribe returns the current observation of a name, and then an observation for each change by anyone: a different
// node, no node, or several nodes. If the database becomes unavailable, one observation says so, and a new one follows
// when it is back. Newer observations replace unread ones, so that a slow subscriber gets the last state. Manual edits
// are recorded in the history. cancel ends the subscription and then closes the channel; it can be called more than
// once.
//
// A subscriber reads again after commits (graph.DB.CommitNotifications), and concurrent reads share a statement.
func (s *Store) Subscribe(target Watched) (changes <-chan Observation, cancel func()) {
	ctx, cancel := context.WithCancel(graph.Operation(context.Background(), "watch", "watcher"))
	notifications, stop := s.graph.CommitNotifications("SYS_Change")
	observations := make(chan Observation, 1)
	go func() {
		defer close(observations)
		defer stop()
		s.watch(ctx, target, notifications, observations)
	}()
	return observations, cancel
}

func (s *Store) watch(ctx context.Context, target Watched, notifications <-chan graph.CommitNotification,
	changes chan Observation) {
	known, state := false, "" // whether the last read is at least as new as the last notification; the last sent state
	for {
		var notification graph.CommitNotification
		select {
		case <-ctx.Done():
			return
		case notification = <-notifications:
		}
		err := notification.Err
		if known && err == nil && !notification.Moved {
			continue
		}
		var now Observation
		var ids []string
		if err == nil {
			now, ids, err = s.observe(ctx, target)
		}
		if ctx.Err() != nil {
			return
		}
		if known = err == nil; err != nil {
			now = Observation{At: time.Now().UTC(), Err: err, Away: true}
		}
		if now.state() == state {
			continue
		}
		state = now.state()
		select { // this goroutine alone fills the channel
		case <-changes:
		default:
		}
		changes <- now
		if err := s.history.RecordManual(ctx, ids); err != nil && !apperr.Is(err, apperr.PermissionDenied) {
			known = false // a user with read access cannot record manual edits; the next check records them
		}
	}
}

// Watched identifies what a subscriber watches.
type Watched struct {
	Kind  string // KindPolicy or KindThreshold
	Name  string
	Scope string // prefer the node for this scope; may be empty
}

// Observation is the result of reading a name: a node, or the error of a read: not_found, or a conflict for a duplicate
// name. If Away is true the database could not be read, and Err says why.
type Observation struct {
	At   time.Time // when this process read the node, in UTC
	Node policies.Node
	Err  error
	Away bool
}

// Same reports whether two observations are equal for a reader.
func (o Observation) Same(other Observation) bool { return o.state() == other.state() }

// state is equal for two observations without a visible difference.
func (o Observation) state() string {
	if o.Away {
		return "away"
	}
	if o.Err != nil {
		f := apperr.From(o.Err)
		return string(f.Code) + ": " + f.Message
	}
	return o.Node.Reading.Source + " " + o.Node.Reading.Version
}

// observe reads a target as Policy or Threshold does, with the element id of the node.
func (s *Store) observe(ctx context.Context, target Watched) (o Observation, ids []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	node, source, err := s.read(ctx, target)
	o.At = time.Now().UTC()
	switch {
	case apperr.Is(err, apperr.Conflict):
		o.Err = err
		return o, nil, nil
	case err != nil:
		return o, nil, err
	case node == nil:
		o.Err = apperr.Newf(apperr.NotFound, "%s node '%s' not found", policies.LabelsOfKinds[target.Kind],
			target.Name).
			WithHint("It was removed or renamed. Watchers are notified if it returns")
		return o, nil, nil
	}
	o.Node = node.Node(source, target.Scope)
	if target.Kind == policies.KindPolicy {
		o.Node = rule.WithEffect(o.Node, graph.Texts(node.Links))
	}
	return o, []string{node.ID}, nil
}
