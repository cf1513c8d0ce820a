package exchange

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"nomograph/agents"
	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

const (
	pushBatch      = 100             // decisions of one message
	maxCommitDelay = 5 * time.Minute // maximum delay between the time of a change and its commit
	pushDebounce   = 300 * time.Millisecond
)

// message converts a decision to a message: its shared part, or that it is no longer shared. agents.SharedView makes
// all of its content.
func (row unsentDecision) message() SharedDecision {
	at := row.At.UTC().Format(time.RFC3339Nano)
	if !row.Shared {
		return SharedDecision{ID: graph.Text(row.Decision, "id"), At: at, Withdrawn: true}
	}
	d := agents.SharedView(decisions.SummaryOf(row.Decision), 0)
	return SharedDecision{ID: d.ID, Title: d.Title, Category: d.Category, Stakes: d.Stakes, Confidence: d.Confidence,
		Outcome: d.Outcome, Date: d.Date.Format(time.RFC3339Nano), At: at}
}

// Run pushes shared decisions to subscribers after each change and polls due peers, until the context ends.
func (s *Store) Run(ctx context.Context) {
	var background sync.WaitGroup
	defer background.Wait()
	background.Go(func() { s.pollUntilDone(ctx) })
	notifications, stop := s.graph.CommitNotifications("Decision", "Revision", "Review")
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case notification := <-notifications:
			if notification.Err != nil || !notification.Moved {
				continue
			}
		}
		if err := s.Push(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn().Err(err).Msg("shared decisions not sent")
		}
		select { // collects changes that happen together
		case <-ctx.Done():
			return
		case <-time.After(pushDebounce):
		}
	}
}

// Push sends unsent changes to every available subscriber. Servers that share a graph take turns.
func (s *Store) Push(ctx context.Context) error {
	all, err := s.peers.All(ctx)
	if err != nil {
		return err
	}
	var sending errgroup.Group
	for _, p := range all {
		if !p.Subscribed || p.Down {
			continue
		}
		sending.Go(func() error {
			err := s.pushTo(ctx, p)
			if err != nil {
				s.peers.RecordCall(ctx, p, err)
			}
			return err
		})
	}
	return sending.Wait()
}

// unsentDecision is a decision whose current state was not yet sent to a peer.
type unsentDecision struct {
	UID      string
	At       time.Time
	Shared   bool
	Decision map[string]any
	Now      time.Time
}

func (s *Store) pushTo(ctx context.Context, p peers.Peer) error {
	for {
		rows, err := s.unsent(ctx, p.URL)
		if err != nil || len(rows) == 0 {
			return err
		}
		claimed, err := graph.Append[struct{ Claimed bool }](ctx, s.graph, cypher.PushClaim,
			graph.Params{"url": p.URL, "milliseconds": (p.Timeout + time.Minute).Milliseconds()})
		if err != nil || !claimed.Claimed { // another server is sending
			return err
		}
		if rows, err = s.unsent(ctx, p.URL); err == nil &&
			len(rows) > 0 { // another server may have sent some meanwhile
			err = s.send(ctx, p, rows)
		}
		notes := make([]any, 0, len(rows))
		for _, row := range rows {
			if err == nil {
				notes = append(notes, map[string]any{"uid": row.UID, "at": graph.UTC(row.At), "withdrawn": !row.Shared})
			}
		}
		if _, noteErr := graph.Append[struct{}](context.WithoutCancel(ctx), s.graph, cypher.DecisionsSent,
			graph.Params{"url": p.URL, "sent": notes}); err == nil {
			err = noteErr
		}
		if err != nil || len(rows) < pushBatch {
			return err
		}
	}
}

// unsent reads the changes that were not yet sent to a peer.
func (s *Store) unsent(ctx context.Context, url string) ([]unsentDecision, error) {
	var since any
	if looked, ok := s.sentUntil.Load(url); ok {
		since = graph.UTC(looked.(time.Time).Add(-maxCommitDelay))
	}
	rows, err := graph.All[unsentDecision](ctx, s.graph, cypher.DecisionsUnsent,
		graph.Params{"url": url, "looked": since, "late": maxCommitDelay.Milliseconds(), "limit": pushBatch})
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 && rows[0].UID == "" { // no change: the row has only the database's time
		s.sentUntil.Store(url, rows[0].Now)
		return nil, nil
	}
	return rows, nil
}

func (s *Store) send(ctx context.Context, p peers.Peer, rows []unsentDecision) error {
	message := lists.Map(rows, func(row unsentDecision) any { return row.message() })
	var answer struct{ Received int }
	if err := s.peers.Call(ctx, p, "cstp.receiveDecisions", map[string]any{"decisions": message}, &answer); err != nil {
		return err
	}
	if answer.Received != len(rows) {
		return apperr.Newf(apperr.Unavailable, "'%s' accepted %d of %d decisions", p.Name, answer.Received, len(rows)).
			WithHint("Nomograph sends these decisions again after the next change")
	}
	return nil
}
