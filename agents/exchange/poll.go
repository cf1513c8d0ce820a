package exchange

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"nomograph/agents/client"
	"nomograph/agents/peers"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/uid"
)

const (
	pollPage       = 100 // decisions of one call
	pollPages      = 3   // pages that one poll reads: the newest 300 decisions
	maxPollResults = 50  // decisions of one query
	pollInterval   = time.Minute
)

// pollUntilDone polls due peers until the context ends.
func (s *Store) pollUntilDone(ctx context.Context) {
	due := time.NewTicker(pollInterval)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		}
		if err := s.Poll(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn().Err(err).Msg("decisions of another server not read")
		}
	}
}

// Poll reads the newest decisions and outcomes of all due peers, one peer after another. Followed peers push their
// decisions and are not polled. It stores what Receive stores, once for each decision. Errors of several peers are
// joined.
func (s *Store) Poll(ctx context.Context) error {
	all, err := s.peers.All(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for _, p := range all {
		if p.Poll <= 0 || p.Following || p.Down {
			continue
		}
		claimed, err := graph.Append[struct{ Claimed bool }](ctx, s.graph, cypher.PollClaim,
			graph.Params{"url": p.URL, "name": p.Name, "uid": uid.New(), "milliseconds": p.Poll.Milliseconds()})
		if err != nil {
			return err
		}
		if !claimed.Claimed {
			continue
		}
		err = s.poll(ctx, p)
		s.peers.RecordCall(ctx, p, err)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// polledDecision is a decision in a peer's answer, with the field names of both methods.
type polledDecision struct {
	SharedDecision
	Summary, Decision string
	CreatedAt         string `json:"created_at"`
}

// poll asks one peer for its list, or, if it has no list method, the topics of the agents file.
func (s *Store) poll(ctx context.Context, p peers.Peer) error {
	for page := range pollPages {
		found, err := s.storeAnswer(ctx, p, "cstp.listDecisions",
			map[string]any{"limit": pollPage, "offset": page * pollPage, "sort": "created_at", "order": "desc"})
		if page == 0 && (client.IsMethodNotFound(err) || client.IsMethodDenied(err)) {
			return s.pollTopics(ctx, p)
		}
		if err != nil || found < pollPage {
			return err
		}
	}
	return nil
}

func (s *Store) pollTopics(ctx context.Context, p peers.Peer) error {
	if p.Topics == "" {
		return apperr.Newf(apperr.Validation, "'%s' lists no decisions, and it has no poll_queries", p.Name).
			WithHint("Set poll_queries for it in the agents file")
	}
	for topic := range strings.SplitSeq(p.Topics, "\n") {
		if _, err := s.storeAnswer(ctx, p, "cstp.queryDecisions",
			map[string]any{"query": topic, "limit": maxPollResults}); err != nil {
			return err
		}
	}
	return nil
}

// storeAnswer stores the decisions in the answer to one call and returns their number.
func (s *Store) storeAnswer(ctx context.Context, p peers.Peer, method string, params map[string]any) (int, error) {
	var answer struct{ Decisions []polledDecision }
	if err := s.peers.Call(ctx, p, method, params, &answer); err != nil {
		return 0, err
	}
	rows := make([]any, 0, len(answer.Decisions))
	for _, d := range answer.Decisions[:min(len(answer.Decisions), pollPage)] {
		d.Title, d.Date = cmp.Or(d.Title, d.Summary, render.FirstLine(d.Decision)), cmp.Or(d.Date, d.CreatedAt)
		if row := d.row(); row["id"] != nil && row["title"] != nil { // other fields are dropped
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return len(answer.Decisions), nil
	}
	_, err := s.storeDecisions(ctx, cypher.PeerDecisionsStorePolled, p, rows)
	return len(answer.Decisions), err
}
